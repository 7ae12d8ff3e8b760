import { Client } from 'pg'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as workers from '#sql/jobs/workers.ts'
import { queues } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { type Liveness, openLiveness } from '../../workers/runtime/liveness.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 4

const lease = 60_000

async function register(t: Scope, url: string, name: string): Promise<Liveness> {
  const liveness = await openLiveness(url, lease, { lost: () => {} })
  t.teardown(() => liveness.leave().catch(() => {}))
  await liveness.register({ id: newId(), pool: 'core', lockedBy: name, concurrency: 1 })
  return liveness
}

/** A worker whose session belongs to the test, and dies with it. */
async function registerMortal(t: Scope, url: string, name: string): Promise<Client> {
  const session = new Client(url)
  await session.connect()
  t.teardown(() => session.end())
  const { rows } = await session.query(
    `insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, lease)
     values ($1, 'core', $2, 'host', 1, 1, interval '1 minute') returning lock_key`,
    [newId(), name],
  )
  await session.query('select pg_advisory_lock(7723, $1)', [rows[0].lock_key])
  return session
}

const Pid = z.object({ pid: z.number() })

/** Ends the session that holds a worker’s lock. Returns false if there is none. */
const cut = (db: DatabasePool, name: string) =>
  db.exists(sql.unsafe`
    select pg_terminate_backend(l.pid) from pg_locks as l join jobs.workers as w on l.objid = w.lock_key::oid
    where l.database = (select oid from pg_database where datname = current_database()) and l.locktype = 'advisory'
      and l.classid = 7723 and w.locked_by = ${name}`)

const stateOf = (db: DatabasePool, name: string) =>
  db.oneFirst(sql.type(z.object({ state: z.string() }))`select state from jobs.workers where locked_by = ${name}`)

/** Gives a worker a job whose row another session locks, so a release of the worker’s jobs waits. */
async function holdJobOf(t: Scope, { url, db }: { url: string; db: DatabasePool }, name: string) {
  const id = Number(await enqueue(db, plain, { name }, { at: new Date(Date.now() + lease) }))
  await db.query(sql.unsafe`
    update jobs_core._private_jobs set locked_at = now(), locked_by = ${name}, attempts = 1 where id = ${id}`)
  const holder = new Client(url)
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin')
  await holder.query('select from jobs_core._private_jobs where id = $1 for update', [id])
  return {
    /** Waits until a session waits for the release. */
    awaitRelease: () =>
      until(() =>
        db.maybeOneFirst(sql.type(Pid)`
          select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%jobs.%'`),
      ),
    letGo: () => holder.query('commit'),
    isFree: () =>
      db.exists(
        sql.unsafe`select 1 from jobs_core._private_jobs where id = ${id} and locked_at is null and attempts = 0`,
      ),
  }
}

t.test('while the jobs of a dead worker are released, living ones can beat', async (t) => {
  const { url, db } = await testDatabase(t)
  await register(t, url, 'living')
  const dead = await registerMortal(t, url, 'dead')
  const job = await holdJobOf(t, { url, db }, 'dead')
  await dead.end()
  const swept = until(async () => await workers.sweep(db))
  await job.awaitRelease()
  const beat = new Client(url)
  await beat.connect()
  t.teardown(() => beat.end())
  await beat.query(`set lock_timeout = '2s'`)
  const { rowCount } = await beat.query(`update jobs.workers set seen_at = now() where locked_by = 'living'`)
  t.equal(rowCount, 1)
  await job.letGo()
  t.match(await swept, { reason: 'gone', released: 1 })
  t.ok(await job.isFree())
  t.equal(await stateOf(db, 'living'), 'alive')
})

t.test('each release is a transaction of its own', async (t) => {
  const { url, db } = await testDatabase(t)
  const names = ['first', 'second', 'third']
  for (const name of names) await (await registerMortal(t, url, name)).end()
  for (let left = names.length; left > 0; left--) {
    await until(async () => (await workers.sweep(db)) !== null)
    t.equal(
      (await Promise.all(names.map((name) => stateOf(db, name)))).filter((state) => state === 'alive').length,
      left - 1,
    )
  }
  t.equal(await workers.sweep(db), null)
})

t.test('a worker whose session breaks takes its lock again, and loses nothing', async (t) => {
  const { url, db } = await testDatabase(t)
  await register(t, url, 'living')
  for (let times = 0; times < 3; times++) {
    await until(() => cut(db, 'living'))
    t.equal(await workers.sweep(db), null)
  }
  // The lock is held again when there is a session to end.
  await until(() => cut(db, 'living'))
  t.equal(await stateOf(db, 'living'), 'alive')
})

t.test('the jobs of a worker are found by an index in every queue', async (t) => {
  const { db } = await testDatabase(t)
  const indexed = await db.anyFirst(sql.type(z.object({ schema: z.string() }))`
    select schemaname as schema from pg_indexes where indexname = 'millrace_held' order by 1`)
  t.strictSame(indexed, queues.map(({ schema }) => schema).toSorted())
  await db.transaction(async (tx) => {
    await tx.query(sql.unsafe`set local enable_seqscan = off`)
    const plan = await tx.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
      explain update jobs_core._private_jobs set attempts = 0 where locked_by = 'x' and locked_at is not null`)
    t.match(plan.join('\n'), /millrace_held/)
  })
})

t.test('a worker that starts releases what a dead one held before it fetches anything', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const begun = async () => {
    const all = await Promise.all(['urgent', 'other'].map((name) => effects(db, name)))
    return all.flat().filter(({ phase }) => phase === 'start')
  }
  const dying = await startWorker(t, url, { concurrency: 1 })
  await enqueue(db, plain, { name: 'urgent', gate: 'go' }, { priority: 1 })
  await until(async () => (await begun()).length === 1)
  await enqueue(db, plain, { name: 'other' }, { priority: 2 })
  dying.process.kill('SIGKILL')
  await dying.ended
  const next = await startWorker(t, url, { concurrency: 1 })
  await until(async () => (await begun()).length === 2)
  t.match(
    (await begun()).find(({ pid }) => pid === next.process.pid),
    { name: 'urgent' },
  )
  await openGate(db, 'go')
})

t.test('a worker that dies while it signs off is found, with what it still held', async (t) => {
  const { url, db } = await testDatabase(t)
  const liveness = await register(t, url, 'leaving')
  const job = await holdJobOf(t, { url, db }, 'leaving')
  const left = t.rejects(liveness.leave())
  const pid = await job.awaitRelease()
  await db.query(sql.unsafe`select pg_terminate_backend(${pid})`)
  await left
  await job.letGo()
  await until(async () => {
    await workers.sweep(db)
    return await job.isFree()
  })
  t.equal(await stateOf(db, 'leaving'), 'lost')
})
