import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, type Db, isRowFault } from './db.ts'

/** Milliseconds between two tries: the first, and the longest. */
const [againMs, longestAgainMs] = [300, 2_000]

/**
 * Commits what must not be forgotten, as something outside has been done that would else be done again: tried for `ms`
 * milliseconds while the database is away or in the way. Throws at once what may be the fault of a row.
 */
export async function persist(db: DatabasePool, ms: number, write: (tx: Db) => Promise<void>): Promise<void> {
  const begun = performance.now()
  for (let n = 1; ; n++) {
    try {
      return await db.transaction(write)
    } catch (error) {
      if (isRowFault(error) || performance.now() - begun > ms) throw error
      log.warn({ err: describe(error) }, 'what was done could not be written yet')
      await pause(Math.min(longestAgainMs, againMs * n))
    }
  }
}
