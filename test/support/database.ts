import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { ensureCluster, type Scope } from './postgres.ts'

/**
 * A migrated database until the test ends. Its owner is an ordinary role, as in production. The pool `db` is also
 * closed at the end.
 */
export async function testDatabase(t: Scope): Promise<{ url: string; db: DatabasePool }> {
  const admin = await ensureCluster()
  const template = await ensureTemplate(admin)
  // Copies files, because the default (write-ahead log) takes twice as long.
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin(admin, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy owner millrace`),
  )
  const url = ownerUrl(admin, name)
  const db = await openPool(url)
  t.teardown(async () => {
    await db.end()
    await asAdmin(admin, (client) => client.query(`drop database ${name} with (force)`))
  })
  return { url, db }
}

/** The migrated database from which all others are copied. Created once by the first process. */
async function ensureTemplate(admin: string): Promise<string> {
  const name = `template_${await fingerprint()}`
  await asAdmin(admin, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rows } = await client.query('select datistemplate from pg_database where datname = $1', [name])
    if (rows[0]?.datistemplate) return
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`
      do $$ begin
        if to_regrole('millrace') is null then create role millrace login password 'millrace'; end if;
      end $$`)
    await client.query(`create database ${name} owner millrace`)
    await migrateAll(ownerUrl(admin, name))
    await client.query(`alter database ${name} is_template true`)
  })
  return name
}

/** Returns a hash of everything that determines a migrated database. */
async function fingerprint(): Promise<string> {
  const root = new URL('../../', import.meta.url)
  const migrations = (await readdir(new URL('sql/migrations', root))).sort().map((file) => `sql/migrations/${file}`)
  const hash = createHash('sha256')
  for (const file of [...migrations, 'tasks/pools.ts', 'ops/migrate.ts', 'package.json']) {
    hash.update(`${file}\n`).update(await readFile(new URL(file, root)))
  }
  return hash.digest('hex').slice(0, 16)
}

function ownerUrl(admin: string, database: string): string {
  const url = new URL(admin)
  return Object.assign(url, { username: 'millrace', password: 'millrace', pathname: `/${database}` }).href
}

async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
