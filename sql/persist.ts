import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, type Db, isRowFault } from './db.ts'

const [againMs, longestAgainMs] = [300, 2_000]

/**
 * Commits data about an external effect that must not be repeated. Retries for `ms` milliseconds while the database is
 * unavailable or conflicts occur. Errors that a row can cause are thrown immediately.
 */
export const persist = (db: DatabasePool, ms: number, write: (tx: Db) => Promise<void>): Promise<void> =>
  untilWritten(ms, () => db.transaction(write))

/** Retries `write` without a transaction. An earlier attempt may have been committed even if its response was lost. */
export async function untilWritten<T>(ms: number, write: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  for (let n = 1; ; n++) {
    try {
      return await write()
    } catch (error) {
      if (isRowFault(error) || performance.now() - begun > ms) throw error
      log.warn({ err: describe(error) }, 'completed work could not be recorded; retrying')
      await pause(Math.min(longestAgainMs, againMs * n))
    }
  }
}
