import { setTimeout as pause } from 'node:timers/promises'
import { type DatabasePool, type Db, sql } from '../db.ts'

/** Milliseconds that a change waits for a table: for as long all who come after it wait behind it. */
const lockMs = 500

/** How often a change is tried within a run, and the milliseconds between in which those who waited behind it get through. */
const [tries, restMs] = [3, 1_000]

/** Changes tables in a transaction that waits for none of them for long; the last try's error, if none got them in time. */
export async function patiently<T>(db: DatabasePool, change: (tx: Db) => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await db.transaction(async (tx) => {
        await tx.query(sql.unsafe`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`)
        return await change(tx)
      }, 0)
    } catch (error) {
      if (left <= 1 || !isHeld(error)) throw error
      await pause(restMs)
    }
  }
}

/** Whether an error says that somebody else held a table: lock not available, or a deadlock. */
export function isHeld(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && (e.code === '55P03' || e.code === '40P01')) return true
  }
  return false
}
