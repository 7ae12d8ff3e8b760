import { StatementTimeoutError } from 'slonik'
import { runBounded, TooBroadError } from '../../bounded.ts'
import type { DatabasePool, Db } from '../../db.ts'

/** Timeout for counting contacts, in milliseconds. */
const mostMs = 2_000

/** Returns null if the statement exceeds its timeout. */
export async function countWithin<T>(db: DatabasePool, look: (tx: Db) => Promise<T>): Promise<T | null> {
  try {
    return await runBounded(db, look, { statement_timeout: String(mostMs) })
  } catch (error) {
    if (error instanceof TooBroadError || error instanceof StatementTimeoutError) return null
    throw error
  }
}
