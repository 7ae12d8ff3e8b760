import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import { isDatabaseUnavailable } from '../problems.ts'

export interface BatchedLookup<Row extends object> {
  ask(db: DatabasePool, id: string): Promise<Row | undefined>
  forget(id: string): void
}

type PendingLookups<Row> = Map<string, PromiseWithResolvers<Row | undefined>>

/**
 * Looks up many IDs in one statement. Requests that arrive during a statement are part of the next one. A result is
 * never older than its request, so a revoked right ends with the next request. Only if the database is unavailable, the
 * last result is used again, for up to `rememberedMs` milliseconds.
 */
export function createBatchedLookup<Row extends object>(
  find: (db: DatabasePool, ids: string[]) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  rememberedMs: number,
): BatchedLookup<Row> {
  const remembered = new LRUCache<string, Row>({ max: 50_000, ttl: rememberedMs })
  let waiting: PendingLookups<Row> = new Map()
  let busy = false
  function answer(asked: PendingLookups<Row>, found: ReadonlyMap<string, Row>): void {
    for (const [id, { resolve }] of asked) {
      remembered.set(id, found.get(id))
      resolve(found.get(id))
    }
  }
  function fail(asked: PendingLookups<Row>, error: unknown): void {
    const isAway = isDatabaseUnavailable(error)
    for (const [id, { resolve, reject }] of asked) {
      const before = isAway && remembered.get(id)
      if (before) resolve(before)
      else reject(error)
    }
  }
  async function runBatches(db: DatabasePool): Promise<void> {
    busy = true
    while (waiting.size > 0) {
      const asked = waiting
      waiting = new Map()
      try {
        const found = new Map((await find(db, [...asked.keys()])).map((row) => [idOf(row), row]))
        answer(asked, found)
      } catch (error) {
        fail(asked, error)
      }
    }
    busy = false
  }
  return {
    async ask(db, id) {
      const known = waiting.get(id) ?? Promise.withResolvers<Row | undefined>()
      waiting.set(id, known)
      if (!busy) void runBatches(db)
      return await known.promise
    },
    forget: (id) => void remembered.delete(id),
  }
}
