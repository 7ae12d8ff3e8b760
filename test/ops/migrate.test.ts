import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { checkQueues } from '#sql/jobs/graphile-schema.ts'
import { migrate, pendingMigrations } from '#sql/migrate.ts'
import { queues } from '#tasks/pools.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const ours = fileURLToPath(new URL('../../sql/migrations', import.meta.url))

/** Our migrations and more of the test's own. */
async function folder(more: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-migrations-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  await cp(ours, dir, { recursive: true })
  for (const [name, text] of Object.entries(more)) await writeFile(join(dir, `${name}.sql`), text)
  return dir
}

t.test('each migration is a transaction of its own: what has run stays when a later one fails', async (t) => {
  const { url, db } = await testDatabase(t)
  const good = { '9001_good': 'create table public.good ()' }
  await t.rejects(
    migrate(url, { dir: await folder({ ...good, '9002_bad': 'create table public.bad (); select 1 / 0' }) }),
  )
  const isThere = (name: string) => db.exists(sql.unsafe`select from pg_tables where tablename = ${name}`)
  t.ok(await isThere('good'))
  t.notOk(await isThere('bad'))
  const mended = { ...good, '9002_bad': 'create table public.bad ()' }
  t.strictSame(await migrate(url, { dir: await folder(mended) }), ['9002_bad'])
})

t.test('a migration does not stand in the way for long when somebody holds its table', async (t) => {
  const { url, db } = await testDatabase(t)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin; select from account.plans')
  const dir = await folder({ '9001_column': 'alter table account.plans add column more integer' })
  const migrating = migrate(url, { dir, lockMs: 300 })
  const waits = () =>
    db.exists(sql.unsafe`select from pg_locks where relation = 'account.plans'::regclass and not granted`)
  await until(waits)
  await until(async () => !(await waits()), { what: 'it gives way' })
  t.ok(await db.exists(sql.unsafe`select from account.plans`), 'who came meanwhile gets through')
  await holder.query('commit')
  t.strictSame(await migrating, ['9001_column'])
})

t.test('a release goes on, and starts, where the next one has run its migrations', async (t) => {
  const { url, db } = await testDatabase(t)
  const next = {
    '9001_column': 'alter table account.plans add column of_the_next_release integer not null default 1',
    '9002_table': 'create table account.next_release (id integer)',
  }
  const older = await db.one(sql.unsafe`select * from account.plans limit 1`)
  t.same(await migrate(url, { dir: await folder(next) }), ['9001_column', '9002_table'])
  t.same(await pendingMigrations(db), [], 'so that it is ready')
  await checkQueues(db, queues)
  t.match(await db.one(sql.unsafe`select * from account.plans limit 1`), older, 'its rows are as they were')
  t.same(await migrate(url), [], 'and has no migration to run')
})
