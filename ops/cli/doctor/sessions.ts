import pg from 'pg'
import { databaseUrl } from '../session.ts'
import { type Finding, fault, well } from './finding.ts'

/** Number of attempts. A pooler can return the same session by chance. */
const rounds = 5

const todo =
  'set DATABASE_URL to Postgres itself, or set pool_mode = session; use a pooler in transaction mode only for DATABASE_POOLED_URL'

/**
 * Checks whether a connection keeps its session between statements. PgBouncer in transaction mode does not keep it:
 * advisory locks of workers, LISTEN and session settings then go to the next client.
 */
export async function checkSessions(): Promise<Finding> {
  const connectionString = await databaseUrl()
  const clients = [0, 1, 2].map(() => new pg.Client({ connectionString }))
  const [one, ...others] = clients as [pg.Client, ...pg.Client[]]
  try {
    await Promise.all(clients.map((client) => client.connect()))
    for (let round = 1; round <= rounds; round++) {
      if (await keepsSession(one, others, String(round))) continue
      return fault('sessions', 'a pooler gives each transaction a different session (transaction mode)', todo)
    }
    return well('sessions', 'a connection keeps its session, so locks, LISTEN and settings work')
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

/**
 * Sets a value in a connection's session, makes other connections use the free sessions, and checks whether the value
 * still exists.
 */
async function keepsSession(one: pg.Client, others: pg.Client[], mark: string): Promise<boolean> {
  await one.query("select set_config('millrace.doctor', $1, false)", [mark])
  for (const other of others) await other.query('begin')
  const { rows } = await one.query("select current_setting('millrace.doctor', true) as mark")
  for (const other of others) await other.query('rollback')
  return rows[0].mark === mark
}
