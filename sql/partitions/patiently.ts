import { setTimeout as pause } from 'node:timers/promises'
import { type DatabasePool, type Db, sql } from '../db.ts'

/** Milliseconds that a change waits for a lock. Others wait behind it for the same time. */
const lockMs = 500

/** Tries per run, and milliseconds between them, in which waiting transactions continue. */
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
