import { execFile } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Logger, runMigrations } from 'graphile-worker'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import t from 'tap'
import { formerMigrations } from '#sql/former-migrations.ts'
import { migrate } from '#sql/migrate.ts'
import { ensureDatabase } from '../../ops/embedded/database.ts'
import { serverAccount } from '../../ops/embedded/postgres-account.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { findFullPostgres } from '../../ops/trials/failover/programs.ts'
import { Server } from '../../ops/trials/failover/server.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'

t.setTimeout(240_000)

// Of pg_dump's own version, as it dumps no newer one.
const programs = await findFullPostgres()
const data = await dataFolder(t)
const account = await serverAccount(data, ['postgres', 'nobody'])
if (account) await chown(data, account.uid, account.gid)
const server = new Server({
  name: 'former',
  programs,
  dir: join(data, 'former'),
  host: '127.0.0.1',
  port: await freePort(),
  password: 'secret',
  settings: { fsync: 'off', shared_buffers: '16MB' },
})
t.teardown(() => server.kill())
await server.create()
await server.start()

async function query(url: string, text: string, values?: unknown[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return await client.query(text, values).finally(() => client.end())
}

/** Schema and contents of a database as pg_dump tells them, without the marks, and the lines that each run of it has of its own. */
async function dump(url: string): Promise<string> {
  const options = { maxBuffer: 64 * 1024 ** 2 }
  const args = [
    '--no-owner',
    '--exclude-schema=jobs_*',
    '--exclude-table-data=public.migrations*',
    '--exclude-table-data=jobs.pauses',
    url,
  ]
  const { stdout } = await promisify(execFile)(join(programs, 'pg_dump'), args, options)
  return stdout.replace(/^\\(un)?restrict .*$/gm, '')
}

const marks = async (url: string): Promise<{ name: string }[]> =>
  (await query(url, 'select * from public.migrations order by run_on, id')).rows
const names = async (url: string) => (await marks(url)).map(({ name }) => name)

/** The migrations of the releases before the baselines, as they were. */
const dir = join(data, 'migrations')
await mkdir(dir)
await promisify(execFile)('tar', [
  '-xzf',
  fileURLToPath(new URL('./former-migrations.tar.gz', import.meta.url)),
  '-C',
  dir,
])

// As the release before calls it.
const asked = { dir, direction: 'up', singleTransaction: true, migrationsTable: 'migrations' } as const
const asBefore = { ...asked, migrationsSchema: 'public', checkOrder: true, noLock: true, log: () => {} }

const url = await ensureDatabase(server.url, 'former', 'own')
await runner({ databaseUrl: url, ...asBefore })
const logger = new Logger(() => () => {})
for (const pool of ['core', 'sip', 'face', 'live', 'rooms']) {
  await runMigrations({ connectionString: url, schema: `jobs_${pool}`, logger })
}
await query(url, "select jobs_sip.add_job('voice/dial', '{}'), jobs_live.add_job('video/record-broadcast', '{}')")
await query(url, "select jobs_core.add_job('jobs/bury', '{}')")
await query(
  url,
  "insert into jobs.pauses (pool, task, paused_by) values ('sip', '', 'ann'), ('rooms', 'video/record-room', 'ann')",
)

t.test('a database of the former migrations is marked, and is what a fresh one is', async (t) => {
  t.same(await names(url), formerMigrations)
  const fresh = await ensureDatabase(server.url, 'fresh', 'own')
  const applied = await migrate(fresh)
  const baselines = applied.slice(0, 30)
  const later = applied.slice(30)
  t.match(baselines, { 0: '0001_jobs_queues', 29: '0030_account_storage' })
  t.notOk(
    baselines.some((name) => formerMigrations.includes(name)),
    'no name stands for two things',
  )
  t.same(await migrate(url), later)
  const marked = await marks(url)
  t.same(
    marked.map(({ name }) => name),
    [...formerMigrations, ...applied],
  )
  t.same(await migrate(url), [])
  t.same(await marks(url), marked, 'the second time changes nothing')
  const [one, other] = await Promise.all([dump(url), dump(fresh)])
  t.match(one, /CREATE TABLE rooms\.rooms/)
  t.equal(one, other)
})

t.test('what waited, and what was paused, waits and is paused by the names of now', async (t) => {
  const found = await query(
    url,
    `select identifier from jobs_voice._private_jobs as j join jobs_voice._private_tasks as t on t.id = j.task_id
     union all select identifier from jobs_live._private_jobs as j join jobs_live._private_tasks as t on t.id = j.task_id
     union all select identifier from jobs_core._private_jobs as j join jobs_core._private_tasks as t on t.id = j.task_id`,
  )
  t.same(
    found.rows.map(({ identifier }) => identifier),
    ['voice/dial', 'live/record-broadcast', 'queue/notify-dead'],
  )
  const { rows } = await query(url, 'select pool, task from jobs.pauses order by pool desc')
  t.same(rows, [
    { pool: 'voice', task: '' },
    { pool: 'rooms', task: 'rooms/record' },
  ])
  await migrateAll(url)
  await query(url, "select jobs_voice.add_job('voice/dial', '{}')")
  const { rows: schemas } = await query(
    url,
    "select nspname from pg_namespace where nspname in ('jobs_sip', 'jobs_face')",
  )
  t.same(schemas, [])
})

t.test('the release before finds none of its migrations missing', async (t) => {
  t.same(await runner({ databaseUrl: url, count: 1, ...asBefore }), [])
  const there = new Set(await names(url))
  t.ok(formerMigrations.every((name) => there.has(name)))
})

t.test('a baseline out of its order is refused', async (t) => {
  await query(url, `delete from public.migrations where name = '0012_video_playback'`)
  await t.rejects(migrate(url), { message: /has run migration 0013_rooms instead of 0012_video_playback/ })
})

t.test('a database between two of the former migrations, or with others, is refused and left as it is', async (t) => {
  const last = '0070_video_live_refusals'
  const cases: [ran: readonly string[], says: RegExp][] = [
    [
      formerMigrations.slice(0, 50),
      /needs 0051_video_live_takeovers of an earlier release. First run .* ends with 0070/,
    ],
    [formerMigrations.slice(0, 1), /needs 0002_jobs /],
    [formerMigrations.filter((name) => name !== '0040_guard_assess'), /needs 0040_guard_assess /],
    [formerMigrations.filter((name) => name !== last), /needs 0070_video_live_refusals /],
    [[...formerMigrations, '0071_strange'], /has run the migration 0071_strange, which this release does not contain/],
  ]
  for (const [ran, says] of cases) {
    await query(url, 'delete from public.migrations')
    await query(url, 'insert into public.migrations (name, run_on) select unnest($1::text[]), now()', [ran])
    await t.rejects(migrate(url), { message: says })
    t.same(await names(url), ran)
  }
})
