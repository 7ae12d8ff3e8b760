import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { formatForTerminal } from '../../ops/start/terminal.ts'
import { layCable } from '../support/cable.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { commandLine } from '../support/millrace.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, holding, installEffects, openGate, plain, precious, single } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 3

/** Locked jobs of this test. Scheduled jobs also run each minute. */
const lockedJobs = sql.type(z.object({ count: z.number() }))`
  select count(*)::integer as count from jobs_core._private_jobs as j join jobs_core._private_tasks as t on t.id = j.task_id
  where j.locked_by is not null and t.identifier like 'test/%'`

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
  const started = (name: string, times = 1) =>
    until(async () => (await phases(name)).filter((phase) => phase === 'start').length >= times)
  return { url, db, phases, started }
}

t.test('a killed worker’s job runs again within seconds, on its last attempt too', async (t) => {
  const { url, db, phases, started } = await scene(t)
  const first = await startWorker(t, url)
  const id = await enqueue(db, single, { name: 'one attempt', gate: 'go' })
  await started('one attempt')
  first.process.kill('SIGKILL')
  await first.ended
  const second = await startWorker(t, url, { sweep: 1_000 })
  await until(async () => (await phases('one attempt')).length === 2, {
    timeout: 9_000,
    what: 'the job runs again long before the lease of its worker ends',
  })
  await openGate(db, 'go')
  const run = await until(async () => ((await runs.find(db, id))?.state === 'done' ? await runs.find(db, id) : null))
  t.equal(run.attempt, 2)
  const told = () =>
    second.lines
      .map(formatForTerminal)
      .some((line) => /lost worker returned to the queue \(pool core\)$/.test(line ?? ''))
  await until(told, { what: 'the warning names the pool' })
  t.match((await commandLine(url).run('workers')).out, /Lost within the last ten minutes: core 1\./)
  t.strictSame(
    (await effects(db, 'one attempt')).map(({ attempt }) => attempt),
    [1, 1, 1],
    'the attempt was given back',
  )
})

t.test('a job that kills its worker three times fails for good, and its neighbours do not', async (t) => {
  const { url, db, phases, started } = await scene(t)
  const id = await enqueue(db, precious, { name: 'poison', how: 'die' }, { priority: 1 })
  const neighbours = Array.from({ length: 20 }, (_, i) => ({ name: `neighbour ${i}`, gate: 'go' }))
  await enqueueMany(db, plain, neighbours, { priority: 2 })
  for (let death = 1; death <= 3; death++) {
    const worker = await startWorker(t, url, { concurrency: 1, fetchAhead: 50 })
    await started('poison', death)
    t.equal(await worker.ended, 'SIGKILL')
  }
  await openGate(db, 'go')
  await startWorker(t, url, { concurrency: 4, fetchAhead: 50 })
  const poisoned = await until(async () =>
    (await runs.find(db, id))?.state === 'failed' ? await runs.find(db, id) : null,
  )
  t.match(poisoned.error, /died 3 times/)
  t.ok((await phases('poison')).includes('given up'))
  for (const { name } of neighbours) await until(async () => (await phases(name)).includes('end'))
  t.equal((await phases('poison')).filter((phase) => phase === 'start').length, 3)
})

t.test('a job that runs beside more than fifty others is not blamed for three deaths', async (t) => {
  const { url, db, phases } = await scene(t)
  const jobs = Array.from({ length: 60 }, (_, i) => ({ name: `one of many ${i}`, gate: 'crowd' }))
  await enqueueMany(db, plain, jobs)
  const starts = async (name: string) => (await phases(name)).filter((phase) => phase === 'start').length
  for (let death = 1; death <= 4; death++) {
    const worker = await startWorker(t, url, { concurrency: 64 })
    for (const { name } of jobs) await until(async () => (await starts(name)) >= death)
    worker.process.kill('SIGKILL')
    await worker.ended
  }
  await openGate(db, 'crowd')
  await startWorker(t, url, { concurrency: 64 })
  for (const { name } of jobs) await until(async () => (await phases(name)).includes('end'))
})

t.test('a stopped and continued worker can complete nothing that another now runs', async (t) => {
  const { url, db, phases, started } = await scene(t)
  const stale = await startWorker(t, url, { lease: 3_000 })
  for (const task of [precious, plain]) await enqueue(db, task, { name: task.name, gate: 'go' })
  await started('test/plain')
  await started('test/precious')
  stale.process.kill('SIGSTOP')
  await startWorker(t, url, { lease: 3_000 })
  await started('test/plain', 2)
  await started('test/precious', 2)
  stale.process.kill('SIGCONT')
  t.equal(await stale.ended, 1, 'it ends itself')
  t.ok(stale.lines.some((line) => line.startsWith('lost: ')))
  t.equal(await db.oneFirst(lockedJobs), 2, 'the jobs are still the second worker’s')
  t.notOk((await phases('test/plain')).includes('end'))
  await openGate(db, 'go')
  await until(async () => (await phases('test/plain')).includes('end'))
  await until(async () => (await phases('test/precious')).includes('end'))
})

t.test(
  'a worker that is stopped within a transaction keeps its job from others no longer than its lease',
  async (t) => {
    const { url, db, started } = await scene(t)
    const stale = await startWorker(t, url, { lease: 3_000 })
    await enqueue(db, holding, { name: 'held' })
    const held = sql.type(z.object({ pid: z.number() }))`
      select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
    await until(async () => (await db.any(held)).length === 1)
    stale.process.kill('SIGSTOP')
    await startWorker(t, url, { lease: 3_000 })
    await started('held', 2)
    stale.process.kill('SIGCONT')
    t.equal(await stale.ended, 1)
  },
)

t.test('a stale worker’s late fetch takes nothing from the worker that has the job by then', async (t) => {
  const { url, db, phases, started } = await scene(t)
  await startWorker(t, url)
  const id = await enqueue(db, single, { name: 'mine', gate: 'go' })
  await started('mine')
  const job = (await runs.find(db, id))?.job_id as number
  const late = { queue: 'jobs_core', jobId: job, worker: 'a stale one' }
  t.equal(await runs.begin(db, id, newId(), late), null)
  await openGate(db, 'go')
  await until(async () => (await phases('mine')).includes('end'))
  t.match(await until(async () => ((await runs.find(db, id))?.finished_at ? await runs.find(db, id) : null)), {
    state: 'done',
    attempt: 1,
  })
})

t.test('a worker cut off from the database ends, and its job is another’s', async (t) => {
  const { url, db, started } = await scene(t)
  const cable = await layCable(t, url)
  const cutOff = await startWorker(t, cable.url, { lease: 2_000 })
  await enqueue(db, plain, { name: 'cut off', gate: 'go' })
  await started('cut off')
  await startWorker(t, url)
  cable.cut()
  t.equal(await cutOff.ended, 1)
  await started('cut off', 2)
  await openGate(db, 'go')
})
