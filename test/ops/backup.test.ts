import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { type Db, openPool, sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { ensureDatabase } from '../../ops/embedded/database.ts'
import { serverAccount } from '../../ops/embedded/postgres-account.ts'
import { wholePostgres } from '../../ops/failover/programs.ts'
import { runSql } from '../../ops/failover/run-sql.ts'
import { Server } from '../../ops/failover/server.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { effects, installEffects, plain, precious } from '../jobs/work.ts'
import { startWorker } from '../support/fleet.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)

const programs = await wholePostgres()
const data = await dataFolder(t)
const [backups, archive] = [join(data, 'backups'), join(data, 'archive')]
const account = await serverAccount(data, ['postgres', 'nobody'])
for (const folder of [backups, archive]) await mkdir(folder)
if (account) await Promise.all([data, archive].map((folder) => chown(folder, account.uid, account.gid)))

/** A server of the test's own, not yet made. */
async function server(name: string, settings: Record<string, string> = {}): Promise<Server> {
  const options = {
    name,
    programs,
    dir: join(data, name),
    host: '127.0.0.1',
    port: await freePort(),
    password: 'secret',
  }
  const made = new Server({ ...options, settings: { fsync: 'off', shared_buffers: '16MB', ...settings } })
  t.teardown(() => made.kill())
  return made
}

/** Runs a shipped script with the server's own programs; what it says, and its exit code. */
async function script(name: string, args: string[], env: Record<string, string>) {
  const path = fileURLToPath(new URL(`../../ops/deploy/postgres/${name}`, import.meta.url))
  const line = ['-c', 'PATH="$0:$PATH" exec bash "$@"', programs, path, ...args]
  return await promisify(execFile)('bash', line, { env: childEnvironment(env) }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }) => ({ code, said: stderr as string }),
  )
}

const phases = async (db: Db, name: string) => (await effects(db, name)).map(({ phase }) => phase)

const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, archive_timeout: '1' }
const first = await server('first', settings)
await first.create()
await first.start()
const url = await ensureDatabase(first.url, 'millrace', 'own')
await migrateAll(url)
const db = await openPool(url)
t.teardown(() => db.end())
await installEffects(db)

t.test(
  'a dump under load, in an empty database: what waited runs there, what was under way begins again',
  async (t) => {
    // What it holds in the dump is its own, as another server knows, until its lease has run out.
    await startWorker(t, url, { lease: 5_000 })
    await enqueue(db, precious, { name: 'under way', gate: 'never' })
    await until(async () => (await phases(db, 'under way')).length === 1)
    await enqueue(db, plain, { name: 'waited' }, { at: new Date(Date.now() + 3_600_000) })
    let over = false
    const load = (async () => {
      for (let n = 0; !over; n++) await enqueue(db, plain, { name: `load ${n}` })
    })()
    const old = join(backups, 'millrace-20200101T000000Z.dump')
    await writeFile(old, '')
    await utimes(old, 0, 0)
    const dump = await script('backup.sh', [], { DATABASE_URL: url, BACKUP_PATH: backups })
    over = true
    await load
    t.match(dump, { code: 0, said: /^backup: .*millrace-.*\.dump, / })
    const files = await readdir(backups)
    t.equal(files.length, 1, 'nothing unfinished is left, and nothing too old')

    const second = await server('second')
    await second.create()
    await second.start()
    const fresh = await ensureDatabase(second.url, 'millrace', 'own')
    const file = join(backups, files[0] ?? '')
    t.match(await script('restore.sh', [file], { DATABASE_URL: fresh }), { code: 0, said: /restore: done/ })
    t.match(await script('restore.sh', [file], { DATABASE_URL: fresh }), { code: 2, said: /has \d+ tables already/ })
    t.strictSame(await migrateAll(fresh), await migrateAll(url), 'the migrations agree')

    const restored = await openPool(fresh)
    t.teardown(() => restored.end())
    const held = Number(await runSql(fresh, 'select count(*) from jobs_core._private_jobs where locked_at is not null'))
    await startWorker(t, fresh)
    await until(async () => (await phases(restored, 'under way')).length === 2)
    await restored.query(sql.typeAlias('void')`update jobs_core._private_jobs set run_at = now()`)
    await until(async () => (await phases(restored, 'waited')).includes('end'))
    const left = `select count(*)::integer from jobs_core._private_jobs where locked_at is null and attempts < max_attempts`
    await until(async () => (await runSql(fresh, left)) === 0)
    const twice = `select count(*)::integer from (
    select from effects where phase = 'end' group by name having count(*) > 1) as twice`
    const again = Number(await runSql(fresh, twice))
    t.ok(again < held, `of ${held} jobs under way at the dump, ${again} were done again; of those done, none`)
  },
)

t.test('a base backup and the archive: the server as it was before the accident', async (t) => {
  const base = await script('backup.sh', ['base'], { REPLICATION_URL: first.url, BACKUP_PATH: backups })
  t.match(base, { code: 0, said: /base-/ })
  await enqueue(db, plain, { name: 'after the base backup' }, { at: new Date(Date.now() + 3_600_000) })
  const time = String(await runSql(url, 'select clock_timestamp()::text'))
  await pause(20)
  await db.query(sql.typeAlias('void')`delete from jobs_core._private_jobs`)
  const file = String(await runSql(first.url, 'select pg_walfile_name(pg_switch_wal())'))
  await until(async () => (await readdir(archive)).includes(file))

  const third = await server('third')
  const folder = (await readdir(backups)).find((name) => name.startsWith('base-')) ?? ''
  const source = join(backups, folder)
  const said = await script('restore.sh', [source, third.options.dir, time], { WAL_ARCHIVE: archive })
  t.match(said, { code: 0, said: /start the server on/ })
  await third.adopt()
  await third.start()
  const restored = Object.assign(new URL(url), { port: String(third.options.port) }).href
  await until(async () => (await runSql(third.url, 'select pg_is_in_recovery()')) === false)
  const there = `select count(*)::integer from jobs_core._private_jobs where payload::text like '%after the base backup%'`
  t.equal(await runSql(restored, there), 1)
  t.equal(await runSql(url, there), 0)
})

t.test('who asks wrongly is told what to set', async (t) => {
  t.match(await script('backup.sh', [], { BACKUP_PATH: '' }), { code: 2, said: /BACKUP_PATH must be set/ })
  t.match(await script('backup.sh', [], { BACKUP_PATH: '/nowhere' }), { code: 2, said: /no folder \/nowhere/ })
  t.match(await script('backup.sh', ['all'], { BACKUP_PATH: data }), { code: 2, said: /dump or base/ })
  const away = { BACKUP_PATH: data, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  t.match(await script('backup.sh', [], away), { code: 1, said: /Connection refused/ })
  t.notOk(
    (await readdir(data)).some((name) => name.startsWith('.dump')),
    'nothing unfinished is left',
  )
  t.match(await script('restore.sh', ['/nowhere.dump'], {}), { code: 2, said: /there is no \/nowhere.dump/ })
  const full = await script('restore.sh', [backups, data], { WAL_ARCHIVE: archive })
  t.match(full, { code: 2, said: /is not empty/ })
})
