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
export const persist = (db: DatabasePool, ms: number, write: (tx: Db) => Promise<void>): Promise<void> =>
  untilWritten(ms, () => db.transaction(write))

/** The same of what `write` does by itself; an earlier try may have been committed although its answer did not come. */
export async function untilWritten<T>(ms: number, write: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  for (let n = 1; ; n++) {
    try {
      return await write()
    } catch (error) {
      if (isRowFault(error) || performance.now() - begun > ms) throw error
      log.warn({ err: describe(error) }, 'what was done could not be written yet')
      await pause(Math.min(longestAgainMs, againMs * n))
    }
  }
}
