import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as history from '#sql/jobs/history.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import { deleteExpired, type Retention } from '#sql/retention.ts'
import { poolNames, queues } from '#tasks/pools.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { TaskStatistics } from '../../workers/runtime/statistics.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { installEffects, plain, precious } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 3

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const Counts = z.object({ done: z.number(), retried: z.number(), failed: z.number(), returned: z.number() })
  const counted = (task: string) =>
    db.one(sql.type(Counts)`
      select coalesce(sum(done), 0)::int as done, coalesce(sum(retried), 0)::int as retried,
        coalesce(sum(failed), 0)::int as failed, coalesce(sum(returned), 0)::int as returned
      from jobs.minutes where task = ${task}`)
  const longest = (task: string) =>
    db.one(sql.type(z.object({ wait: z.number(), run: z.number(), least: z.number() }))`
      select max(wait_max_ms) as wait, max(run_max_ms) as run, least(min(wait_ms), min(run_ms)) as least
      from jobs.minutes where task = ${task}`)
  return { url, db, counted, longest }
}

const hourMs = 3_600_000
const empty = {
  done: 0,
  retried: 0,
  failed: 0,
  rejected: 0,
  returned: 0,
  wait_ms: 0,
  wait_max_ms: 0,
  run_ms: 0,
  run_max_ms: 0,
}

t.test('counts that could not be written go with those that the same minute has had since', async (t) => {
  const { db } = await scene(t)
  const statistics = new TaskStatistics('core', 'test/away', { offset: 30_000 - performance.now() })
  t.teardown(statistics.close)
  const counted = () => {
    statistics.note('done', 0, performance.now())
    return statistics.take()
  }
  statistics.putBack(counted())
  const taken = counted()
  t.match(taken, [{ done: 2 }])
  t.equal(taken.length, 1)
  await minutes.add(db, taken)
})

t.test('every attempt is counted once, by how it ended, over all workers', async (t) => {
  const { url, db, counted } = await scene(t)
  const workers = [await startWorker(t, url), await startWorker(t, url, { fetchAhead: 20 })]
  await enqueueMany(
    db,
    plain,
    Array.from({ length: 200 }, (_, i) => ({ name: `job ${i}` })),
  )
  await enqueue(db, plain, { name: 'throws once', how: 'throw', times: 1 })
  await enqueue(db, plain, { name: 'never', how: 'permanent' })
  await enqueue(db, precious, { name: 'later', how: 'later', times: 2 })
  const all = ({ done, retried, failed, returned }: Awaited<ReturnType<typeof counted>>) =>
    done + retried + failed + returned
  await until(async () => all(await counted(plain.name)) === 203)
  t.strictSame(await counted(plain.name), { done: 201, retried: 1, failed: 1, returned: 0 })
  const [core] = await readOverview(db, queues)
  t.ok(core && core.done_per_minute >= 200 / 5 && core.failed_per_minute > 0, 'the rate tells of the minute under way')
  await until(async () => all(await counted(precious.name)) === 3)
  t.strictSame(await counted(precious.name), { done: 1, retried: 0, failed: 0, returned: 2 })

  await enqueue(db, plain, { name: 'last words' })
  await until(async () => await gone(db, 'last words'))
  for (const worker of workers) worker.process.kill('SIGTERM')
  for (const worker of workers) t.equal(await worker.ended, 0)
  t.equal((await counted(plain.name)).done, 202, 'SIGTERM loses no count')

  const points = await history.plot(db, { span: '1h', pools: ['core', 'media'], task: plain.name })
  t.equal(points.length, 120)
  const sum = (pool: string) => points.filter((p) => p.pool === pool).reduce((n, { done }) => n + done, 0)
  t.equal(sum('core'), 202)
  t.equal(sum('media'), 0)
  const busy = points.find(({ done }) => done > 0)
  t.ok(busy && busy.wait_mean_ms !== null && busy.run_mean_ms !== null)
  const one = await history.plot(db, { span: '24h', pools: ['core'], task: precious.name })
  t.equal(one.length, 288)
  t.equal(
    one.reduce((n, { returned }) => n + returned, 0),
    2,
  )
})

t.test('a job’s wait is from when it was due, and never negative', async (t) => {
  const { url, db, longest, counted } = await scene(t)
  await enqueue(db, plain, { name: 'due long ago' }, { at: new Date(Date.now() - 90_000) })
  await startWorker(t, url)
  await enqueue(db, precious, { name: 'due soon' }, { at: new Date(Date.now() + 500) })
  for (const task of [plain, precious]) await until(async () => (await counted(task.name)).done === 1)
  const late = await longest(plain.name)
  t.ok(late.wait >= 90_000 && late.wait < 180_000, `waited ${late.wait} ms`)
  t.ok(late.run < 60_000, `ran ${late.run} ms`)
  const soon = await longest(precious.name)
  t.ok(soon.wait < 60_000 && soon.least >= 0, `waited ${soon.wait} ms from when it was due`)
})

t.test('an attempt that threw is kept with its error, without secrets, beside others of its kind', async (t) => {
  const { url, db } = await scene(t)
  await startWorker(t, url)
  const org = '0198f3a2-7c1e-7abc-8def-0123456789ab'
  const id = await enqueue(db, plain, { name: 'never', how: 'permanent' }, { orgId: org, requestId: 'request-1' })
  await enqueue(db, plain, { name: 'twice', how: 'throw', times: 1 })
  await enqueue(db, plain, { name: 'twice again', how: 'throw', times: 1 })
  const Kept = z.object({
    pool: z.string(),
    task: z.string(),
    job_id: z.number(),
    org_id: z.string().nullable(),
    request_id: z.string().nullable(),
    attempt: z.number(),
    final: z.boolean(),
    error: z.string(),
    fingerprint: z.string(),
    seconds: z.number(),
  })
  const kept = await until(async () => {
    const found = await db.any(sql.type(Kept)`
      select pool, task, job_id, org_id, request_id, attempt, final, error, fingerprint,
        extract(epoch from ended_at - started_at)::float8 as seconds
      from jobs.failures order by job_id`)
    return found.length === 3 && found
  })
  const [never, ...twice] = kept
  t.match(never, { pool: 'core', task: plain.name, job_id: Number(id), final: true, attempt: 1 })
  t.match(never, { org_id: org, request_id: 'request-1', fingerprint: 'Permanent: never' })
  t.match(never?.error, /^Permanent: never\n +at /)
  for (const failure of twice) t.match(failure, { final: false, fingerprint: 'Error: no luck', org_id: null })
  t.ok(kept.every(({ seconds }) => seconds >= 0 && seconds < 60))
})

t.test('the queues are sampled once a minute however many processes look', async (t) => {
  const { url, db } = await scene(t)
  await enqueueMany(
    db,
    plain,
    Array.from({ length: 30 }, () => ({ name: 'waits' })),
    { at: new Date(Date.now() - 120_000) },
  )
  await enqueue(db, precious, { name: 'not due' }, { at: new Date(Date.now() + hourMs) })
  const seen = await depths.measure(db, queues)
  t.match(
    seen.find(({ task }) => task === plain.name),
    { waiting: 30, scheduled: 0, running: 0, failed: 0 },
  )
  t.match(
    seen.find(({ task }) => task === precious.name),
    { waiting: 0, scheduled: 1, oldest_s: 0 },
  )
  t.ok((seen.find(({ task }) => task === plain.name)?.oldest_s ?? 0) >= 120)

  const Minutes = sql.type(z.object({ samples: z.number(), minutes: z.number() }))`
    select count(*)::int as samples, count(distinct at)::int as minutes
    from jobs.depths where pool = 'core' and task = ''`
  const asked = Array.from({ length: 8 }, () => depths.sample(db, queues))
  t.ok((await Promise.all(asked)).filter(Boolean).length <= 2, 'one, or two when the minute turned')
  await Promise.all([startWorker(t, url), startWorker(t, url)])
  const { samples, minutes: looked } = await db.one(Minutes)
  t.equal(samples, looked, 'one a minute')
  const points = await history.plot(db, { span: '1h', pools: poolNames })
  const sampled = points.filter(({ pool, waiting }) => pool === 'core' && waiting !== null)
  t.ok(sampled.some(({ waiting, oldest_s }) => waiting === 30 && (oldest_s ?? 0) >= 120))
  t.ok(
    points.some(({ pool, waiting }) => pool === 'media' && waiting === 0),
    'an empty pool was looked at, too',
  )
})

t.test('hours are made of minutes, again and again with the same result, and outlive them', async (t) => {
  const { db } = await scene(t)
  const now = await minutes.clock(db)
  const hour = Math.floor(now / hourMs) * hourMs
  const minute = (ago: number, more: object) => ({ ...empty, pool: 'core', task: 'a/b', at: hour - ago, ...more })
  await minutes.add(db, [
    minute(3 * hourMs, { done: 5, wait_ms: 100, wait_max_ms: 40, run_ms: 500, run_max_ms: 200 }),
    minute(3 * hourMs - 60_000, { done: 5, failed: 1, wait_ms: 20, wait_max_ms: 60, run_ms: 100, run_max_ms: 90 }),
    minute(0, { done: 7 }),
    minute(100 * hourMs, { done: 1_000 }),
  ])
  await db.query(sql.typeAlias('void')`
    insert into jobs.depths (pool, task, at, waiting, running, failed, oldest_s)
    select 'core', 'a/b', to_timestamp(${(hour - 3 * hourMs) / 1000}) + n * interval '1 minute', n, 1, 0, n * 2
    from generate_series(1, 9) as n`)
  const plotted = async () => (await history.plot(db, { span: '7d', pools: ['core'] })).filter(({ done }) => done > 0)
  await minutes.add(db, [minute(3 * hourMs, { done: 1, wait_max_ms: 10 })])
  for (let i = 0; i < 3; i++) {
    await minutes.rollUp(db)
    await depths.rollUp(db)
    const [past, open, ...none] = await plotted()
    t.match(past, { done: 11, failed: 1, wait_mean_ms: 10, wait_max_ms: 60, run_mean_ms: 50, waiting: 9, oldest_s: 18 })
    t.match(open, { done: 7 }, 'the hour that is not over comes from its minutes')
    t.strictSame(none, [], 'minutes that should be gone make no hours')
  }
  await pruneArea(db, 'jobs')
  const kept = await db.manyFirst(sql.type(z.object({ done: z.number() }))`
    select sum(done)::int as done from jobs.minutes group by at order by at`)
  t.strictSame(kept, [6, 5, 7])
  await db.query(sql.typeAlias('void')`truncate jobs.minutes, jobs.depths`)
  t.match(await plotted(), [{ done: 11, waiting: 9 }])
  await minutes.rollUp(db)
  t.match(await plotted(), [{ done: 11 }])
})

t.test('failures are forgotten in their time', async (t) => {
  const { db } = await scene(t)
  await db.query(sql.typeAlias('void')`
    insert into jobs.failures (id, pool, task, job_id, worker, attempt, final, started_at, ended_at, error, fingerprint)
    select gen_random_uuid(), 'core', 'a/b', n, 'w', 1, true, now(), now() - n * interval '1 day', 'e', 'e'
    from generate_series(1, 30) as n`)
  const left = () => db.oneFirst(sql.typeAlias('count')`select count(*) from jobs.failures`)
  const { name, retentions } = failures.table
  for (const rest of [20, 13, 13]) {
    t.equal(await deleteExpired(db, name, { ...(retentions[0] as Retention), batch: 10 }), rest === 20)
    t.equal(await left(), rest)
  }
})

async function gone(db: Awaited<ReturnType<typeof scene>>['db'], name: string): Promise<boolean> {
  return !(await db.exists(sql.type(z.object({ id: z.number() }))`
    select id from jobs_core._private_jobs where payload -> 'payload' ->> 'name' = ${name}`))
}
