import { StatementTimeoutError } from 'slonik'
import { type DatabasePool, type Db, sql } from './db.ts'

/** Milliseconds that a statement of a search may take: enough for some 100,000 rows, and what a person waits for. */
export const mostMs = 1_000

/** Too much fits what was asked for: it was not looked through in time. */
export class TooBroad extends Error {
  override name = 'TooBroad'

  constructor() {
    super('Too much fits this search to be looked through in a second: ask for more, or longer, words.')
  }
}

/** Whether an error says that a statement took longer than it may. */
export const isTooBroad = (error: unknown): boolean =>
  error instanceof TooBroad || error instanceof StatementTimeoutError

/**
 * Searches in a transaction whose statements take a second each at most, with more settings of its own; throws `TooBroad` when
 * that is not enough. The limit is told in the transaction, as that of a session does not get through every pooler.
 */
export async function bounded<T>(
  db: DatabasePool,
  search: (tx: Db) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const all = Object.entries({ statement_timeout: String(mostMs), ...settings })
  const set = all.map(([name, value]) => sql.fragment`set_config(${name}, ${value}, true)`)
  try {
    return await db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select ${sql.join(set, sql.fragment`, `)}`)
      return await search(tx)
    })
  } catch (error) {
    throw isTooBroad(error) ? new TooBroad() : error
  }
}
