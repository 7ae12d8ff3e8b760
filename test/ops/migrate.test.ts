import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { checkQueues } from '#sql/jobs/graphile-schema.ts'
import { listPendingMigrations, migrate } from '#sql/migrate.ts'
import { queues } from '#tasks/pools.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const ours = fileURLToPath(new URL('../../sql/migrations', import.meta.url))

const Waiting = z.object({ pid: z.number() })

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
  t.same(await listPendingMigrations(db), [], 'so that it is ready')
  await checkQueues(db, queues)
  t.match(await db.one(sql.unsafe`select * from account.plans limit 1`), older, 'its rows are as they were')
  t.same(await migrate(url), [], 'and has no migration to run')
})

t.test(
  'indexes of tables with rows are made while others write, by one process, and again after one was killed',
  async (t) => {
    const { url, db } = await testDatabase(t)
    const tables = `create table public.plain (id integer, what text);
    create table public.parted (id integer, what text) partition by range (id);
    create table public.parted_a partition of public.parted for values from (0) to (10);
    create table public.parted_b partition of public.parted for values from (10) to (20);
    insert into public.plain select i, 'w' from generate_series(1, 15) as i;
    insert into public.parted select i, 'w' from generate_series(1, 15) as i`
    const indexes = `create index if not exists plain_what on public.plain (what, id);
create index if not exists parted_what on public.parted (what, id) where what is not null;`
    const dir = await folder({ '9001_tables': tables, '9002_indexes': indexes })
    const [writer, other] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
    for (const client of [writer, other]) {
      await client.connect()
      t.teardown(() => client.end())
    }
    await migrate(url, { dir: await folder({ '9001_tables': tables }) })
    await writer.query(`begin; insert into public.plain values (16, 'w'); insert into public.parted values (16, 'w')`)
    const waiting = () =>
      db.maybeOneFirst(sql.type(Waiting)`select pid from pg_stat_activity
        where datname = current_database() and query ~ 'index concurrently' and wait_event = 'virtualxid'`)
    const write = () =>
      other.query(`insert into public.plain values (17, 'w'); insert into public.parted values (17, 'w')`)
    const state = () =>
      db.any(sql.unsafe`select relname, indisvalid from pg_index join pg_class on oid = indexrelid
      where relname ~ '^(plain|parted)' order by relname`)

    const killed = t.rejects(migrate(url, { dir }), 'one that is killed')
    await until(waiting)
    await write()
    await db.query(sql.unsafe`select pg_terminate_backend(${(await waiting()) ?? 0})`)
    await killed
    t.strictSame(await state(), [{ relname: 'plain_what', indisvalid: false }])

    const both = Promise.all([migrate(url, { dir }), migrate(url, { dir })])
    await until(waiting)
    await write()
    await writer.query('commit')
    t.strictSame((await both).flat(), ['9002_indexes'])
    t.strictSame(await state(), [
      { relname: 'parted_a_parted_what', indisvalid: true },
      { relname: 'parted_b_parted_what', indisvalid: true },
      { relname: 'parted_what', indisvalid: true },
      { relname: 'plain_what', indisvalid: true },
    ])
  },
)
