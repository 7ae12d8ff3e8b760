import pg from 'pg'

/** Runs a statement on a new connection. Returns the first column of the first row. */
export async function runSql(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(text)
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await client.end().catch(() => {})
  }
}
