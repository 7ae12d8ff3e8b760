import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { databaseUrl } from './settings.mjs'

export const pool = new pg.Pool({ connectionString: databaseUrl })
// Without these listeners, a restart of Postgres would end the shop. The failed query reports the error.
pool.on('error', () => {})
pool.on('connect', (client) => client.on('error', () => {}))

export async function createTables() {
  await pool.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
}

/** Runs `work` in a transaction. If `work` throws, nothing of it is stored or sent. */
export async function inTransaction(work) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {}) // After a lost connection, Postgres has rolled back.
    throw error
  } finally {
    client.release()
  }
}

/** Sends a request to Millrace when the transaction commits. Requests with the same key are sent in order. */
export async function enqueue(client, operation, body, { key, params = {} }) {
  await client.query('select millrace.enqueue($1, $2::jsonb, key => $3, params => $4::jsonb)', [
    operation,
    JSON.stringify(body),
    key,
    JSON.stringify(params),
  ])
}
