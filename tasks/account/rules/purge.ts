import { setTimeout as pause } from 'node:timers/promises'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as closures from '#sql/account/closures.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import { disableTriggers } from '#sql/account/move/rows.ts'
import * as users from '#sql/account/people/users.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { storedBytes, storedTogether } from './stored-bytes.ts'

/** Number of rows per transaction, and number of rows with stored bytes per transaction. */
const [batch, batchStored] = [500, 50]

/** Number of blocks per statement for a table without an index by organisation: 4 MiB. */
const stride = 512

const atOnce = 8

/** Maximum number of rounds per table. More rounds mean that rows are being added to the table. */
const mostRounds = 1_000_000

export interface PurgeTools {
  db: DatabasePool
  storage: Storage
  signal: AbortSignal
  catalogue: owned.Catalogue
  /** True if the organisation has moved: its objects and effects belong to the other cell. */
  hasMoved: boolean
}

/**
 * Deletes the rows of an organisation from a table with their dependent rows, a few hundred per transaction. Each
 * transaction adds to the receipt. A pause of the same length follows, to limit the load to half a connection. If the
 * table is read by blocks, continues at the last block.
 */
export async function purgeTable(
  work: closures.ClosureProgress,
  name: string,
  from: number,
  means: PurgeTools,
): Promise<void> {
  const together = storedTogether[name]
  if (together) await clear(work, [together(work.org_id)], means)
  const parts = [...means.catalogue.relations.values()].filter(({ whole }) => whole === name)
  for (const part of parts) {
    const run = new TablePurge(work, part, means)
    if (part.indexed) await run.byIndex()
    else await run.byBlocks(parts.length === 1 ? from : 0)
  }
}

class TablePurge {
  readonly #work: closures.ClosureProgress
  readonly #table: owned.Relation
  readonly #means: PurgeTools
  readonly #chains: owned.Reference[][]

  constructor(work: closures.ClosureProgress, table: owned.Relation, means: PurgeTools) {
    this.#work = work
    this.#table = table
    this.#means = means
    this.#chains = owned.chainsBelow(means.catalogue, table.name)
  }

  async byIndex(): Promise<void> {
    for (let round = 0; (await this.#batch(undefined)) > 0; round++) {
      if (round >= mostRounds) throw new Error(`Rows are being added to ${this.#table.name} during its deletion.`)
    }
  }

  async byBlocks(first: number): Promise<void> {
    const { db } = this.#means
    const { id } = this.#work
    const blocks = await owned.countBlocks(db, this.#table.name)
    for (let from = first; from < blocks; from += stride) {
      while ((await this.#batch([from, from + stride])) > 0);
      await closures.advance(db, id, this.#table.whole, from + stride)
    }
  }

  async #batch(blocks: owned.Blocks | undefined): Promise<number> {
    const { name } = this.#table
    const stored = storedBytes[name]
    const facts = [...(stored?.facts ?? []), ...(name === 'account.members' ? ['user_id'] : [])]
    const limit = stored ? batchStored : batch
    const rows = await this.#gently((tx) => owned.findBatch(tx, name, this.#work.org_id, { limit, blocks, facts }))
    if (rows.length === 0) return 0
    if (stored) await this.#clearRows(rows)
    for (const chain of this.#chains) await this.#below(chain, rows)
    await this.#gently(async (tx) => {
      await this.#count(tx, this.#table.whole, await owned.remove(tx, name, this.#work.org_id, rows))
      if (name !== 'account.members') return
      const people = rows.map(({ facts }) => facts.user_id as string)
      await this.#count(tx, 'account.users', await users.removeOutsiders(tx, people))
    })
    return rows.length
  }

  async #below(chain: owned.Reference[], rows: readonly owned.OwnedRow[]): Promise<void> {
    const child = (chain.at(-1) as owned.Reference).child
    const whole = this.#means.catalogue.relations.get(child)?.whole ?? child
    const which = { root: this.#table.name, chain, orgId: this.#work.org_id, rows, limit: batch }
    for (let removed = batch; removed === batch; ) {
      removed = await this.#gently(async (tx) => {
        const count = await owned.removeBelow(tx, which)
        await this.#count(tx, whole, count)
        return count
      })
    }
  }

  async #clearRows(rows: readonly owned.OwnedRow[]): Promise<void> {
    const { storage, signal } = this.#means
    const stored = storedBytes[this.#table.name]
    await forEachConcurrently(
      rows,
      atOnce,
      async ({ facts }) => {
        await stored?.end?.(facts, storage)
        const made = stored?.made?.(facts) ?? []
        await clear(this.#work, [...(stored?.prefixes(facts) ?? []), ...made], this.#means)
      },
      signal,
    )
  }

  #count(tx: Db, name: string, rows: number): Promise<void> {
    return closures.countRows(tx, this.#work.id, name, rows)
  }

  async #gently<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const { db, signal, hasMoved } = this.#means
    signal.throwIfAborted()
    const begun = performance.now()
    const result = await db.transaction(async (tx) => {
      await owned.limitToIndexes(tx)
      if (hasMoved) await disableTriggers(tx)
      return await work(tx)
    })
    await pause(performance.now() - begun)
    return result
  }
}

export async function clear(
  work: closures.ClosureProgress,
  prefixes: readonly string[],
  { db, storage, signal }: Pick<PurgeTools, 'db' | 'storage' | 'signal'>,
): Promise<void> {
  let [objects, bytes] = [0, 0]
  for (const prefix of prefixes) {
    const cleared = await storage.clear(prefix, signal)
    objects += cleared.objects
    bytes += cleared.bytes
  }
  await closures.count(db, work.id, { objects, bytes })
}
