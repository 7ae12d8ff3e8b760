import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { list } from '#sql/jobs/list.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { queues } from '#tasks/pools.ts'
import { cancel, enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { effects, hasty, installEffects, openGate, plain, precious, single } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 4

const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)

const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
const ended = (id: string) =>
  until(async () => {
    const run = await runs.find(db, id)
    return run?.finished_at ? run : null
  })

t.test('a job of a rolled back transaction never was', async (t) => {
  await t.rejects(
    db.transaction(async (tx) => {
      await enqueue(tx, plain, { name: 'rolled back' })
      throw new Error('no')
    }),
  )
  await enqueue(db, plain, { name: 'after it' })
  await until(async () => (await phases('after it')).includes('end'))
  t.strictSame(await phases('rolled back'), [])
})

t.test('a tracked job leaves its answer, its progress and its attempts', async (t) => {
  const run = await ended(await enqueue(db, precious, { name: 'answers' }))
  t.match(run, { state: 'done', result: { echo: 'answers' }, progress: 1, attempt: 1 })
})

t.test('operators see the outline of what an organisation’s job carries and answers, and no text of it', async (t) => {
  const { id: orgId } = (await testOrg(db)).org
  const run = await ended(await enqueue(db, precious, { name: 'what a customer wrote' }, { orgId }))
  const described = await describeJob(db, run.id)
  t.match(described, { result: { echo: 'text of 21 characters' }, org_id: orgId })
  t.notMatch(JSON.stringify(described), 'what a customer wrote')
  const own = await ended(await enqueue(db, precious, { name: 'of the platform' }))
  t.match(await describeJob(db, own.id), { result: { echo: 'of the platform' } })
})

t.test('what throws is tried again, and given up after its last attempt', async (t) => {
  const run = await ended(await enqueue(db, single, { name: 'throws', how: 'throw' }))
  t.match(run, { state: 'failed', error: 'Error: no luck', attempt: 1 })
  t.strictSame(await phases('throws'), ['start', 'given up'])
  const again = await ended(await enqueue(db, precious, { name: 'throws once', how: 'throw', times: 1 }))
  t.match(again, { state: 'done', attempt: 2 })
})

t.test('an error with NUL and half a character is written, and fails no job that ends beside it', async (t) => {
  const gate = 'all at once'
  const how = (n: number) => (n % 2 ? ('nul' as const) : ('throw' as const))
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, n) => enqueue(db, precious, { name: `beside ${n}`, how: how(n), gate, times: 1 })),
  )
  await openGate(db, gate)
  for (const run of await Promise.all(ids.map(ended))) t.match(run, { state: 'done', attempt: 2 })
  const failed = await ended(await enqueue(db, single, { name: 'nul', how: 'nul' }))
  t.match(failed, { state: 'failed', error: 'Error: no\ufffd luck\ufffd' })
})

t.test(
  'a run that fails after another job replaced this job’s key ends there, and does not wait for ever',
  async (t) => {
    const first = await enqueue(db, precious, { name: 'replaced', how: 'throw', gate: 'replaced' }, { key: 'taken' })
    await until(async () => (await phases('replaced')).length === 1)
    const second = await enqueue(db, precious, { name: 'replacing' }, { key: 'taken' })
    t.match(await ended(second), { state: 'done' })
    await openGate(db, 'replaced')
    t.match(await ended(first), { state: 'cancelled', error: 'another job replaced this job’s key', attempt: 1 })
  },
)

t.test('Permanent is never tried again', async (t) => {
  const run = await ended(await enqueue(db, precious, { name: 'permanent', how: 'permanent' }))
  t.match(run, { state: 'failed', error: 'Permanent: never', attempt: 1 })
  t.strictSame(await phases('permanent'), ['start', 'given up'])
})

t.test(
  'what a customer gave can make a job rejected: no failure, nothing in the queue, not to be tried again',
  async (t) => {
    const id = await enqueue(db, precious, { name: 'rejected', how: 'rejected' })
    const run = await ended(id)
    t.match(run, { state: 'rejected', error: 'Rejected: corrupt: no film', attempt: 1 })
    t.strictSame(await phases('rejected'), ['start', 'given up'])
    await enqueue(db, plain, { name: 'rejected, untracked', how: 'rejected' })
    await until(async () => (await phases('rejected, untracked')).includes('given up'))
    const left = sql.unsafe`select 1 from jobs_core._private_jobs where payload::text like '%"rejected%'`
    await until(async () => !(await db.exists(left)), { what: 'neither is a dead job' })
    t.match(await describeJob(db, id), { state: 'rejected', attempts: [{ outcome: 'rejected', error: /no film/ }] })
    t.match(await performAction(db, 'retry', id, { actor: 'test' }), {
      changed: false,
      state: 'rejected',
      message: /rejected/,
    })
    const counted = sql.type(z.object({ rejected: z.number(), failed: z.number() }))`
    select coalesce(sum(rejected), 0)::int as rejected, coalesce(sum(failed), 0)::int as failed from jobs.minutes
    where task = ${plain.name}`
    await until(async () => (await db.one(counted)).rejected === 1, { what: 'it is counted apart' })
    t.ok((await readOverview(db, queues))[0]?.rejected_per_minute)
    const failures = sql.unsafe`select 1 from jobs.failures where error like '%no film%'`
    t.notOk(await db.exists(failures), 'nor is it among the failures')
    const { jobs } = await list(db, queues, { state: 'rejected' }, { limit: 10 })
    t.match(jobs, [{ run_id: id, state: 'rejected', error: /no film/ }])
  },
)

t.test('Later costs no attempt: four of them do not use up three', async (t) => {
  const run = await ended(await enqueue(db, precious, { name: 'later', how: 'later', times: 4 }))
  t.match(run, { state: 'done', attempt: 5 })
  await enqueue(db, plain, { name: 'later, untracked', how: 'later', times: 4 })
  const seen = await until(async () => {
    const all = await effects(db, 'later, untracked')
    return all.some(({ phase }) => phase === 'end') && all
  })
  t.ok(
    seen.every(({ attempt }) => attempt === 1),
    'each run was the first attempt',
  )
})

t.test('a job past its time gets its signal and fails', async (t) => {
  const run = await ended(await enqueue(db, hasty, { name: 'slow', gate: 'never' }))
  t.match(run, { state: 'failed', error: /timed out/ })
  t.strictSame(await phases('slow'), ['start', 'given up'])
})

t.test('a cancelled waiting job never starts, and its task is told', async (t) => {
  const id = await enqueue(db, precious, { name: 'waits' }, { at: new Date(Date.now() + 60_000) })
  t.equal(await cancel(db, id), 'waiting')
  t.match(await runs.find(db, id), { state: 'cancelled' })
  t.equal(await cancel(db, id), 'cancelled', 'cancelling again changes nothing')
  await until(async () => (await phases('waits')).length > 0)
  t.strictSame(await phases('waits'), ['given up'])
})

t.test('a job that is cancelled between its fetch and its begin never starts, and its task is told', async (t) => {
  const id = await enqueue(db, precious, { name: 'fetched' }, { at: new Date(Date.now() + 60_000) })
  const mine = sql.fragment`where payload ->> 'run' = ${id}`
  await db.query(sql.unsafe`update jobs_core._private_jobs set locked_at = now(), locked_by = 'x' ${mine}`)
  t.equal(await cancel(db, id), 'waiting')
  await db.query(sql.unsafe`
    update jobs_core._private_jobs set locked_at = null, locked_by = null, run_at = now() ${mine}`)
  t.match(await ended(id), { state: 'cancelled' })
  t.strictSame(await phases('fetched'), ['given up'])
})

t.test('a cancelled running job gets its signal and is not tried again', async (t) => {
  const id = await enqueue(db, precious, { name: 'runs', gate: 'never' })
  await until(async () => (await phases('runs')).includes('start'))
  t.equal(await cancel(db, id), 'running')
  t.match(await ended(id), { state: 'cancelled', attempt: 1 })
  t.strictSame(await phases('runs'), ['start', 'given up'])
})

t.test('many jobs are one statement, and their runs come back in the order given', async (t) => {
  const names = Array.from({ length: 50 }, (_, i) => `many ${i}`)
  const ids = await enqueueMany(
    db,
    precious,
    names.map((name) => ({ name })),
  )
  for (const [i, id] of ids.entries()) t.match((await ended(id)).result, { echo: names[i] })
})

t.test('of two waiting jobs with one key, the second replaces the first', async (t) => {
  const at = new Date(Date.now() + 60_000)
  await enqueue(db, plain, { name: 'first' }, { key: 'one', at })
  await enqueue(db, plain, { name: 'second' }, { key: 'one' })
  await until(async () => (await phases('second')).includes('end'))
  t.strictSame(await phases('first'), [])
  const replaced = await enqueue(db, precious, { name: 'third' }, { key: 'two', at })
  t.match(await ended(await enqueue(db, precious, { name: 'fourth' }, { key: 'two' })), { state: 'done' })
  t.match(await ended(replaced), { state: 'cancelled' }, 'the run of the replaced job does not wait for ever')
})

t.test('a payload that is not the task’s is refused at enqueue, and at run', async (t) => {
  await t.rejects(enqueue(db, plain, { name: 7 as unknown as string }))
  const spec = { task: plain.name, payload: { payload: { name: 7 } }, attempts: 3 }
  const [added] = await queue.addMany(db, 'jobs_core', [spec])
  await until(async () => (await db.query({ ...failed(added?.id) })).rowCount === 1)
})

t.test('a task with a crontab pattern is on the clock, and takes what the clock sends', async () => {
  const known = sql.type(z.object({ identifier: z.string() }))`select identifier from jobs_core._private_known_crontabs`
  await until(async () => (await db.anyFirst(known)).includes('test/ticking'))
  const sent = { _cron: { ts: new Date().toISOString(), backfilled: false } }
  await queue.addMany(db, 'jobs_core', [{ task: 'test/ticking', payload: sent, attempts: 1 }])
  await until(async () => (await phases('ticking')).includes('end'))
})

t.test('an opened gate lets a running job end', async (t) => {
  const id = await enqueue(db, precious, { name: 'gated', gate: 'gate' })
  await until(async () => (await phases('gated')).includes('start'))
  await openGate(db, 'gate')
  t.match(await ended(id), { state: 'done' })
})

function failed(id = 0) {
  return sql.type(z.object({ id: z.coerce.number() }))`
    select id from jobs_core._private_jobs where id = ${id} and attempts >= max_attempts and last_error like '%payload%'`
}

t.test('a run that is slow to begin is not taken for one that was lost', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  await startWorker(t, url, { concurrency: 2 })
  await enqueue(db, precious, { name: 'bystander', gate: 'end' })
  await enqueue(db, plain, { name: 'before it', gate: 'begin' })
  await until(async () => (await effects(db, 'before it')).length + (await effects(db, 'bystander')).length === 2)
  const id = await enqueue(db, precious, { name: 'slow to begin' })
  const holder = new pg.Client(url)
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin')
  await holder.query('select 1 from jobs.runs where id = $1 for update', [id])
  await openGate(db, 'begin')
  await until(
    async () =>
      await db.exists(sql.unsafe`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
  )
  const from = await db.oneFirst(sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`)
  const looked = sql.unsafe`select 1 from pg_stat_activity where datname = current_database() and state = 'idle'
      and query like '%as owned (id uuid, token uuid)%' and pid <> pg_backend_pid() and query_start > ${from}::timestamptz`
  await until(() => db.exists(looked), { what: 'the worker looks for interrupted runs' })
  await holder.query('commit')
  await openGate(db, 'end')
  await until(async () => (await runs.find(db, id))?.state === 'done')
  t.equal((await runs.find(db, id))?.attempt, 1)
})
