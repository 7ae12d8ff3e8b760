import { StatementTimeoutError } from 'slonik'
import { type DatabasePool, type Db, sql } from './db.ts'

/** Timeout of a search statement in milliseconds. A search reads about 100,000 rows in this time. */
export const maxSearchMs = 1_000

export class TooBroadError extends Error {
  override name = 'TooBroadError'

  constructor() {
    super('The search matches too much data to complete within a second. Use more or longer search words.')
  }
}

export const isTooBroad = (error: unknown): boolean =>
  error instanceof TooBroadError || error instanceof StatementTimeoutError

/**
 * Runs a search in a transaction with further settings. Each statement can take up to a second. Throws `TooBroadError`
 * if a statement takes longer. The timeout is set in the transaction, because session settings do not work with every
 * pooler.
 */
export async function runBounded<T>(
  db: DatabasePool,
  search: (tx: Db) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const all = Object.entries({ statement_timeout: String(maxSearchMs), ...settings })
  const set = all.map(([name, value]) => sql.fragment`set_config(${name}, ${value}, true)`)
  try {
    return await db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select ${sql.join(set, sql.fragment`, `)}`)
      return await search(tx)
    })
  } catch (error) {
    throw isTooBroad(error) ? new TooBroadError() : error
  }
}
