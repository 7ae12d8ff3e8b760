import pg from 'pg'

/** Creates the role and the database of the platform on an embedded server if they do not exist. Sets the password. */
export async function ensureDatabase(superuserUrl: string, name: string, password: string): Promise<string> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const [id, secret] = [client.escapeIdentifier(name), client.escapeLiteral(password)]
    const { rows } = await client.query(
      `select to_regrole($1) is not null as role, exists (select from pg_database where datname = $1) as database`,
      [name],
    )
    await client.query(`${rows[0]?.role ? 'alter' : 'create'} role ${id} login password ${secret}`)
    if (!rows[0]?.database) await client.query(`create database ${id} owner ${id}`)
  } finally {
    await client.end()
  }
  return databaseUrl(superuserUrl, name, password)
}

export function databaseUrl(superuserUrl: string, name: string, password: string): string {
  return Object.assign(new URL(superuserUrl), { username: name, password, pathname: `/${name}` }).href
}
