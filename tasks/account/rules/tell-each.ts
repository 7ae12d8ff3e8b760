import type { DatabasePool, Db } from '#sql/db.ts'

/** Things that one transaction tells of. */
const batch = 100

/**
 * Tells organisations of things, in batches of which each is a transaction. What is in a batch that fails is told by organisation,
 * so that one of which nothing can be told keeps none of the others: what cannot be told fails the whole at its end.
 */
export async function tellEach<T extends { org_id: string }>(
  db: DatabasePool,
  things: readonly T[],
  tell: (tx: Db, some: readonly T[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new Map<string, unknown>()
  const attempt = async (some: readonly T[], caught: (error: unknown) => unknown) => {
    signal.throwIfAborted()
    await db.transaction((tx) => tell(tx, some)).catch(caught)
  }
  for (let from = 0; from < things.length; from += batch) {
    const some = things.slice(from, from + batch)
    let whole = true
    await attempt(some, () => {
      whole = false
    })
    if (whole) continue
    for (const [orgId, own] of Map.groupBy(some, ({ org_id }) => org_id))
      await attempt(own, (error) => failed.set(orgId, error))
  }
  if (failed.size === 0) return
  throw new Error(`could not notify organisations: ${failed.size}`, { cause: [...failed.values()][0] })
}
