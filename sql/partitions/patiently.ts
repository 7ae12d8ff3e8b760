import { setTimeout as pause } from 'node:timers/promises'
import { type DatabasePool, type Db, sql } from '../db.ts'

/**
 * Maximum time that a change waits for a lock, in milliseconds. Other statements wait behind the change for the same
 * time.
 */
const lockMs = 500

/** Number of tries per run, and delay between them in milliseconds. Waiting transactions continue during the delay. */
const [tries, restMs] = [3, 1_000]

/** Changes tables with short lock waits. Throws the error of the last try. */
export async function withShortLockWait<T>(db: DatabasePool, change: (tx: Db) => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await db.transaction(async (tx) => {
        await tx.query(sql.unsafe`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`)
        return await change(tx)
      }, 0)
    } catch (error) {
      if (left <= 1 || !isLockError(error)) throw error
      await pause(restMs)
    }
  }
}

/** True for `lock not available` or a deadlock. */
export function isLockError(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && (e.code === '55P03' || e.code === '40P01')) return true
  }
  return false
}
