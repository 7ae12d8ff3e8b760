/** Idle slots share a query for jobs and miss none. */
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Client, type QueryResult } from 'pg'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { poolNames } from '#tasks/pools.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { task } from '#tasks/queue/task.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { pollMs, SharedIdle } from '../../workers/runtime/shared-idle.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const settings = { lease: 60_000, sweep: 1_000, grace: 5_000 }

const noted = (pool: PoolPlan['pool'], done: string[] = []) =>
  task({
    name: `test/noted-${pool}`,
    pool,
    payload: z.object({ name: z.string() }),
    run: async ({ name }) => void done.push(name),
  })

const planOf = (pool: PoolPlan['pool'], done?: string[]): PoolPlan => ({
  pool,
  settings: { concurrency: 24, fetchAhead: 0 },
  tasks: [noted(pool, done)],
  tools: {} as never,
})

t.test('a worker of all pools with nothing to do asks once per pool and poll', async (t) => {
  const { url } = await testDatabase(t)
  const asked = new Map<string, number[]>()
  const { query } = Client.prototype
  t.intercept(Client.prototype, 'query', {
    value(this: Client, ...args: [{ name?: string }]) {
      const name = args[0]?.name ?? ''
      if (name.startsWith('get_job')) asked.set(name, [...(asked.get(name) ?? []), performance.now()])
      return Reflect.apply(query, this, args)
    },
  })
  const fleet = await startFleet(
    url,
    poolNames.map((pool) => planOf(pool)),
    settings,
    (why) => t.fail(why),
  )
  t.teardown(() => fleet.stop())
  await until(() => asked.size === poolNames.length && [...asked.values()].every(({ length }) => length >= 4))
  for (const [name, times] of asked) {
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000
    // The first is not an interval. Without sharing, 24 slots would send 12 queries per second.
    t.ok(times.length - 1 <= seconds / (pollMs / 1000) + 1, `${name}: ${times.length} questions in ${seconds} s`)
  }
})

const jobs = Array.from({ length: 40 }, (_, i) => ({ name: `job ${i}` }))

/** Checks that `jobs` run once each when `add` adds them while the pool’s slots are idle. */
async function missNone(t: Test, add: (db: Db, it: ReturnType<typeof noted>) => Promise<unknown>): Promise<void> {
  const { url, db } = await testDatabase(t)
  const done: string[] = []
  const plan = planOf('webhooks', done)
  const fleet = await startFleet(url, [plan], settings, (why) => t.fail(why))
  t.teardown(() => fleet.stop())
  const it = plan.tasks[0] as ReturnType<typeof noted>
  await enqueue(db, it, { name: 'first' })
  await until(() => done.length === 1)
  await add(db, it)
  await until(() => done.length > jobs.length)
  await until(() =>
    db.oneFirst(sql.type(z.object({ none: z.boolean() }))`
    select not exists (select from jobs_webhooks._private_jobs) as none`),
  )
  t.strictSame(done.slice(1).sort(), jobs.map(({ name }) => name).sort())
}

/** Adds jobs without a notification. */
const silently = (db: Db, it: ReturnType<typeof noted>) =>
  db.transaction(async (tx) => {
    await tx.query(sql.unsafe`create schema if not exists quiet`)
    await tx.query(sql.unsafe`
      create or replace function quiet.pg_notify(text, text) returns void language sql as 'select null::void'`)
    await tx.query(sql.unsafe`set local search_path = quiet, pg_catalog, public`)
    await enqueueMany(tx, it, jobs)
  })

t.test('jobs of which notifications are lost run', (t) => missNone(t, silently))

t.test('jobs that are added while the listening connection is away run', (t) =>
  missNone(t, async (db, it) => {
    await db.query(sql.unsafe`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen %'`)
    await enqueueMany(db, it, jobs)
  }),
)

t.test('jobs whose time comes while the slots are idle run', (t) =>
  missNone(t, async (db, it) => {
    const at = new Date(Date.now() + 1_000)
    for (const payload of jobs) await enqueue(db, it, payload, { at })
  }),
)

const none = { rows: [], rowCount: 0 } as unknown as QueryResult
const one = { rows: [{}], rowCount: 1 } as unknown as QueryResult

/** A pool of slots whose queries the test answers, with a mocked clock. */
function byHand(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  const asked: ((answer: QueryResult | undefined) => void)[] = []
  let woken = 0
  const idle = new SharedIdle(() => woken++)
  return {
    idle,
    asked,
    woken: () => woken,
    ask: () =>
      idle.fetch(() => {
        const { promise, resolve } = Promise.withResolvers<QueryResult | undefined>()
        asked.push(resolve)
        return promise
      }),
    pass(ms: number) {
      now += ms
      mock.timers.tick(ms)
    },
  }
}

t.test('an answer is shared from when its question was sent, for one poll', async (t) => {
  const { ask, asked, pass, woken } = byHand(t)
  const first = ask()
  const second = ask()
  await turn()
  t.equal(asked.length, 1, 'who comes while it is under way waits for it')
  pass(500)
  asked[0]?.(none)
  t.equal(await first, none)
  t.equal(await second, undefined)
  pass(pollMs - 501)
  t.equal(await ask(), undefined)
  t.equal(woken(), 0)
  pass(1)
  t.equal(woken(), 1, 'a slot is woken, whatever the others wait for')
  void ask()
  await turn()
  t.equal(asked.length, 2)
  asked[1]?.(one)
  await turn()
  t.equal(woken(), 2, 'where one job was missed there may be more')
})

t.test('an answer tells nothing of a job that was added after its question was sent', async (t) => {
  const { idle, ask, asked } = byHand(t)
  const first = ask()
  const second = ask()
  await turn()
  idle.notified()
  await turn()
  t.equal(asked.length, 2, 'who waits asks for itself')
  asked[0]?.(none)
  t.equal(await first, none)
  void ask()
  await turn()
  t.equal(asked.length, 3)
  asked[1]?.(one)
  t.equal(await second, one)
})

t.test('an answer that was not given is not shared, nor one after which jobs may have come back', async (t) => {
  const { idle, ask, asked } = byHand(t)
  void ask()
  await turn()
  asked[0]?.(undefined)
  await turn()
  void ask()
  await turn()
  t.equal(asked.length, 2)
  idle.changed()
  asked[1]?.(none)
  await turn()
  void ask()
  await turn()
  t.equal(asked.length, 3)
})
