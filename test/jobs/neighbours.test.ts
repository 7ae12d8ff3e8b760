import { Client } from 'pg'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { type AnyTask, task } from '#tasks/queue/task.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain } from './work.ts'

const noted = (pool: 'core' | 'webhooks' | 'push') =>
  task({
    name: `test/noted-${pool}`,
    pool,
    payload: z.object({ name: z.string() }),
    run: async ({ name }, { db }) => {
      await db.query(sql.unsafe`insert into effects (name, phase, attempt, pid) values (${name}, 'end', 1, 0)`)
    },
  })

const hook = noted('webhooks')
const short = noted('core')

const planOf = (it: AnyTask): PoolPlan => ({
  pool: it.pool,
  settings: { concurrency: it.pool === 'webhooks' ? 64 : 8, fetchAhead: 0 },
  tasks: [it],
  tools: {} as never,
})

t.test('a pool whose table is locked holds up itself alone, and goes on', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const done = async (name: string) => (await effects(db, name)).length
  const lost: string[] = []
  const settings = { lease: 60_000, sweep: 200, grace: 5_000 }
  const plans = [hook, short, noted('push')].map(planOf)
  const fleet = await startFleet(url, plans, settings, (why) => lost.push(why))
  t.teardown(() => fleet.stop())
  const locker = new Client(url)
  await locker.connect()
  t.teardown(() => locker.end())
  const under = Array.from({ length: 100 }, () => ({ name: 'hook' }))
  await enqueueMany(db, hook, under)
  await until(() => done('hook'))
  await locker.query('begin')
  await locker.query('lock table jobs_webhooks._private_jobs in share mode')
  const blocked = () =>
    db.oneFirst(sql.typeAlias('count')`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'with j as%'`)
  // The maximum number of fetches of the pool, and more are waiting.
  await until(async () => (await blocked()) >= 5, { what: 'the pool waits for its table' })
  for (let i = 0; i < 20; i++) {
    await enqueue(db, short, { name: `short ${i}` })
    await until(() => done(`short ${i}`), { timeout: 10_000 })
  }
  t.equal(await blocked(), 5, 'it waits for the lock with its share of the connections')
  await locker.query('commit')
  await until(async () => (await done('hook')) === 100)
  t.strictSame(lost, [])
})

t.test('a stalled event loop loses what it holds to others, and its process goes on', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const of = async (name: string, phase: string) => (await effects(db, name)).filter((effect) => effect.phase === phase)
  const stalling = await startWorker(t, url, { lease: 1_000 })
  await enqueue(db, plain, { name: 'beside', gate: 'go' })
  await until(async () => (await of('beside', 'start')).length === 1)
  const other = await startWorker(t, url)
  other.process.kill('SIGSTOP')
  await enqueue(db, plain, { name: 'heavy', how: 'stall', times: 1 })
  await until(async () => (await of('heavy', 'start')).length === 1)
  other.process.kill('SIGCONT')
  await until(async () => (await of('beside', 'start')).length === 2)
  await until(async () => (await of('heavy', 'end')).length === 1)
  const { pid: stalled } = stalling.process
  const state = () =>
    db.oneFirst(sql.type(z.object({ state: z.string() }))`select state from jobs.workers where pid = ${stalled ?? 0}`)
  t.equal(await state(), 'fenced')
  await until(async () => (await state()) === 'alive')
  t.ok((await of('beside', 'start')).some(({ pid }) => pid === other.process.pid))
  other.process.kill('SIGKILL')
  await other.ended
  await openGate(db, 'go')
  await enqueue(db, plain, { name: 'after' })
  const [after] = await until(async () => {
    const ended = await of('after', 'end')
    return ended.length > 0 && ended
  })
  t.equal(after?.pid, stalled, 'the process that stalled takes jobs again')
  await until(async () => (await of('beside', 'end')).length === 1)
  t.equal(await state(), 'alive')
})
