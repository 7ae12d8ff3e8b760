import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { type Db, openPool, sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { ensureDatabase } from '../../ops/embedded/database.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { findFullPostgres } from '../../ops/trials/failover/programs.ts'
import { runSql } from '../../ops/trials/failover/run-sql.ts'
import { Server } from '../../ops/trials/failover/server.ts'
import { effects, installEffects, plain, precious } from '../jobs/work.ts'
import { startWorker } from '../support/fleet.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)

const programs = await findFullPostgres()
const data = await dataFolder(t)

/** A server of the test's own, not yet made. */
async function server(name: string): Promise<Server> {
  const place = { name, programs, dir: join(data, name), host: '127.0.0.1', port: await freePort(), password: 'secret' }
  const made = new Server({ ...place, settings: { fsync: 'off', shared_buffers: '16MB' } })
  t.teardown(() => made.kill())
  await made.create()
  await made.start()
  return made
}

/** Runs one of the Postgres programs. */
const run = (name: string, ...args: string[]) => promisify(execFile)(join(programs, name), args)

const phases = async (db: Db, name: string) => (await effects(db, name)).map(({ phase }) => phase)

t.test(
  'a dump taken under load, in an empty database: what waited runs there, what was under way begins again',
  async (t) => {
    const url = await ensureDatabase((await server('first')).url, 'millrace', 'own')
    await migrateAll(url)
    const db = await openPool(url)
    t.teardown(() => db.end())
    await installEffects(db)
    // What it holds in the dump is its own, as another server knows, until its lease has run out.
    await startWorker(t, url, { lease: 5_000 })
    await enqueue(db, precious, { name: 'under way', gate: 'never' })
    await until(async () => (await phases(db, 'under way')).length === 1)
    await enqueue(db, plain, { name: 'waited' }, { at: new Date(Date.now() + 3_600_000) })
    let over = false
    const load = (async () => {
      for (let n = 0; !over; n++) await enqueue(db, plain, { name: `load ${n}` })
    })()
    const file = join(data, 'millrace.dump')
    await run('pg_dump', '--format=custom', '--no-owner', `--file=${file}`, url)
    over = true
    await load

    const fresh = await ensureDatabase((await server('second')).url, 'millrace', 'own')
    await run('pg_restore', `--dbname=${fresh}`, '--no-owner', '--single-transaction', '--exit-on-error', file)
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
