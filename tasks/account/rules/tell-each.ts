import type { DatabasePool, Db } from '#sql/db.ts'

const batch = 100

/**
 * Notifies organisations in batches of one transaction each. If a batch fails, it is repeated for each organisation, so
 * that one failure does not stop the others. If any organisation failed, the call fails at its end.
 */
export async function notifyEach<T extends { org_id: string }>(
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
