import { Client } from 'pg'
import t from 'tap'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import { clearQueues } from '#tasks/jobs/clear-queues.ts'
import { rescue } from '#tasks/jobs/rescue.ts'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain, precious, single } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 4

const by = { actor: 'test' }
const Count = z.object({ count: z.number() })

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
  const inState = (id: string, state: string) =>
    until(async () => (await runs.find(db, id))?.state === state, { timeout: 30_000, what: `it is ${state}` })
  return { url, db, phases, inState }
}

/** Makes Postgres reject a kind of write, like with a full disk, until it is released. Counts the rejections. */
async function refuse(t: Scope, url: string, write: string) {
  const client = new Client(url)
  await client.connect()
  t.teardown(() => client.end())
  await client.query('create sequence refusals')
  await client.query(`
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('refusals');
      raise exception 'could not extend file' using errcode = '53100';
    end $$`)
  await client.query(`create trigger refuse before ${write} execute function refuse()`)
  const count = async () =>
    (await client.query('select case when is_called then last_value else 0 end as count from refusals')).rows[0].count
  return {
    times: (least: number) =>
      until(async () => (await count()) >= least, { timeout: 30_000, what: `${least} refusals` }),
    end: () => client.query('drop function refuse cascade'),
  }
}

for (const [what, write] of [
  ['begin', `update on jobs.runs for each row when (old.state = 'waiting')`],
  ['end', `update on jobs.runs for each row when (new.state = 'done')`],
] as const) {
  t.test(`a job whose ${what} cannot be written is handed back, on its last attempt too`, async (t) => {
    const { url, db, inState, phases } = await scene(t)
    const refused = await refuse(t, url, write)
    await startWorker(t, url)
    const id = await enqueue(db, single, { name: what })
    await refused.times(1)
    const waits = async () => {
      const job = await describeJob(db, id)
      return job.state === 'scheduled' && job
    }
    t.match(await until(waits, { what: 'it waits again' }), { max_attempts: 1 })
    await refused.end()
    await performAction(db, 'reschedule', id, by)
    await inState(id, 'done')
    t.notOk((await phases(what)).includes('given up'))
  })
}

t.test('a crash that cannot be followed costs no attempt', async (t) => {
  const { url, db, phases } = await scene(t)
  const id = await enqueue(db, single, { name: 'suspect' }, { at: new Date(Date.now() + 60_000) })
  const { job_id: job = 0 } = (await runs.find(db, id)) ?? {}
  await db.query(sql.unsafe`update jobs_core._private_jobs set last_error = 'worker lost' where id = ${job}`)
  await db.query(sql.unsafe`insert into jobs.crashes (pool, job_id) values ('core', ${job})`)
  const refused = await refuse(t, url, 'update on jobs.crashes for each row')
  await startWorker(t, url)
  await performAction(db, 'reschedule', id, by)
  await refused.times(1)
  await until(async () => (await describeJob(db, id)).state === 'scheduled')
  await refused.end()
  await performAction(db, 'reschedule', id, by)
  await until(async () => (await phases('suspect')).includes('end'))
  t.match(await effects(db, 'suspect'), [{ attempt: 1 }, { attempt: 1 }])
})

t.test('a job that cannot be handed back is held until it can be', async (t) => {
  const { url, db } = await scene(t)
  const refused = await refuse(t, url, 'update on jobs_core._private_jobs for each row when (new.flags is not null)')
  await startWorker(t, url)
  await enqueue(db, plain, { name: 'later', how: 'later', times: 1 })
  await refused.times(2)
  await refused.end()
  const done = await until(async () => {
    const all = await effects(db, 'later')
    return all.some(({ phase }) => phase === 'end') && all
  })
  t.match(done, [{ attempt: 1 }, { attempt: 1 }, { attempt: 1 }])
})

t.test('a give-up that failed is told again until it is through', async (t) => {
  const { url, db, inState, phases } = await scene(t)
  const refused = await refuse(t, url, `insert on effects for each row when (new.phase = 'given up')`)
  await startWorker(t, url)
  const id = await enqueue(db, single, { name: 'tracked', how: 'throw' })
  const job = await enqueue(db, plain, { name: 'untracked', how: 'permanent' })
  // Once by its worker, and once by the job that notifies again. One of the two jobs can cause all four.
  await refused.times(4)
  await until(async () => (await describeJob(db, `core:${job}`)).state === 'failed', { what: 'the other job fails' })
  await refused.end()
  await inState(id, 'failed')
  for (const name of ['tracked', 'untracked'])
    await until(async () => (await phases(name)).includes('given up'), { what: `the task of ${name} is notified` })
  t.strictSame(await phases('tracked'), ['start', 'given up'])
  t.strictSame(await phases('untracked'), ['start', 'given up'])
  t.match(await effects(db, 'tracked'), [{}, { detail: 'no luck' }])
  t.match(await runs.find(db, id), { error: 'Error: no luck' })
})

t.test('while its task cannot be told, a failed job can be tried again, and that ends the telling', async (t) => {
  const { url, db, inState, phases } = await scene(t)
  const refused = await refuse(t, url, `insert on effects for each row when (new.phase = 'given up')`)
  await startWorker(t, url)
  const id = await enqueue(db, single, { name: 'retried', how: 'throw', times: 1, gate: 'go' })
  await openGate(db, 'go')
  await refused.times(2)
  const { changed } = await until(async () => {
    const outcome = await performAction(db, 'retry', id, by)
    return outcome.changed && outcome
  })
  t.ok(changed)
  await inState(id, 'done')
  await refused.end()
  t.strictSame(await phases('retried'), ['start', 'start', 'end'])
  t.equal(await notices(db), 0)
})

const notices = (db: DatabasePool) =>
  db.oneFirst(sql.type(Count)`
    select count(*)::integer as count from jobs_core._private_jobs as q
    join jobs_core._private_tasks as t on t.id = q.task_id where t.identifier = 'queue/notify-dead'`)

/** Runs whose job failed or left its queue without an end of the run. */
async function orphan(db: DatabasePool, name: string, how: 'dead' | 'gone'): Promise<string> {
  const id = await enqueue(db, precious, { name }, { at: new Date(Date.now() + 600_000) })
  const { job_id: job = 0 } = (await runs.find(db, id)) ?? {}
  await db.query(sql.unsafe`update jobs.runs set state = 'running', attempt = 3 where id = ${id}`)
  if (how === 'dead') {
    await db.query(sql.unsafe`
      update jobs_core._private_jobs set attempts = max_attempts, last_error = 'no connection' where id = ${job}`)
  } else await db.query(sql.unsafe`delete from jobs_core._private_jobs where id = ${job}`)
  return id
}

t.test('runs that nobody has ended are found when their job is dead or gone', async (t) => {
  const { url, db, inState, phases } = await scene(t)
  const dead = await orphan(db, 'dead', 'dead')
  const gone = await orphan(db, 'gone', 'gone')
  const waiting = await enqueue(db, precious, { name: 'waiting' }, { at: new Date(Date.now() + 600_000) })
  await startWorker(t, url)
  for (const task of [rescue, clearQueues]) await enqueue(db, task, {})
  await inState(dead, 'failed')
  t.strictSame(await phases('dead'), ['given up'])
  t.match(await runs.find(db, dead), { error: /no connection/ })
  await inState(gone, 'failed')
  t.match(await performAction(db, 'retry', dead, by), { changed: true })
  await inState(dead, 'done')
  t.match(await runs.find(db, waiting), { state: 'waiting' })
})

t.test('operators can retry and discard what nobody has ended', async (t) => {
  const { url, db, inState, phases } = await scene(t)
  const retried = await orphan(db, 'retried', 'dead')
  const discarded = await orphan(db, 'discarded', 'dead')
  const gone = await orphan(db, 'gone', 'gone')
  t.match(await performAction(db, 'retry', retried, by), { changed: true })
  t.match(await performAction(db, 'discard', discarded, by), { changed: true })
  t.match(await describeJob(db, discarded), { state: 'discarded' })
  t.match(await performAction(db, 'retry', gone, by), { changed: false, message: /not stored/ })
  t.match(await performAction(db, 'discard', gone, by), { changed: true })
  await startWorker(t, url)
  await inState(retried, 'done')
  await until(async () => (await phases('discarded')).includes('given up'))
  t.match(await describeJob(db, discarded), { state: 'discarded' }, 'and it stays so')
})

t.test('a job whose worker died stays a suspect while its attempts fail, until it comes to its end', async (t) => {
  const { url, db, inState, phases } = await scene(t)
  const crashes = () => db.oneFirst(sql.type(Count)`select count(*)::integer as count from jobs.crashes`)
  const first = await startWorker(t, url)
  const id = await enqueue(db, precious, { name: 'suspect', gate: 'go', how: 'throw', times: 2 })
  await until(async () => (await phases('suspect')).length === 1)
  first.process.kill('SIGKILL')
  await first.ended
  await openGate(db, 'go')
  await startWorker(t, url)
  await until(async () => (await describeJob(db, id)).state === 'scheduled', { what: 'an attempt has failed' })
  t.match(await describeJob(db, id), { error: 'worker lost; since then no luck' })
  t.equal(await crashes(), 1)
  await performAction(db, 'reschedule', id, by)
  await inState(id, 'done')
  await until(async () => (await crashes()) === 0)
})
