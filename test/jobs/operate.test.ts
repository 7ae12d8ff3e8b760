import t from 'tap'
import { sql } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as list from '#sql/jobs/list.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { countMatchingJobs, performAction, performActionOnAll } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { queues } from '#tasks/pools.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { notifyDead } from '#tasks/queue/notify-dead.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, hasty, installEffects, openGate, plain, precious } from './work.ts'

const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)

const by = { actor: 'test' }
const later = () => new Date(Date.now() + 3_600_000)
const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
const inState = (name: string, state: string) =>
  until(async () => (await describeJob(db, name)).state === state, { what: `${name} is ${state}` })

t.test('a failed tracked job waits again with all its attempts, under either of its names', async (t) => {
  const id = await enqueue(db, hasty, { name: 'fails once', how: 'throw', times: 1 })
  await inState(id, 'failed')
  const failed = await describeJob(db, id)
  t.match(failed, { run_id: id, error: /no luck/, attempt: 1, max_attempts: 1 })
  t.match(await describeJob(db, failed.name), { run_id: id, state: 'failed' })
  t.match(await performAction(db, 'retry', failed.name, by), { changed: true, state: 'failed' })
  await inState(id, 'done')
  t.match(await performAction(db, 'retry', id, by), { changed: false, state: 'done' })
  t.strictSame(
    (await describeJob(db, id)).attempts.map(({ outcome }) => outcome),
    ['done', 'failed'],
  )
})

t.test('a failed untracked job is tried again, once however often it is asked', async () => {
  const id = await enqueue(db, plain, { name: 'plain fails', how: 'permanent', times: 1 })
  await inState(`core:${id}`, 'failed')
  const outcomes = await Promise.all(
    [1, 2, 3].map(() => performAction(db, 'retry', `core:${id}`, { ...by, at: later() })),
  )
  t.equal(outcomes.filter(({ changed }) => changed).length, 1)
  t.match(await performAction(db, 'reschedule', `core:${id}`, { ...by, at: new Date() }), {
    changed: true,
    state: 'scheduled',
  })
  await until(async () => (await phases('plain fails')).includes('end'))
})

t.test('a cancelled run whose job has left the queue is added anew', async (t) => {
  const id = await enqueue(db, precious, { name: 'cancelled', gate: 'cancelled' }, { at: later() })
  t.match(await performAction(db, 'cancel', id, by), { changed: true, state: 'scheduled' })
  t.match(await performAction(db, 'cancel', id, by), { changed: false, state: 'cancelled' })
  await until(async () => (await phases('cancelled')).includes('given up'))
  await until(async () => (await performAction(db, 'retry', id, by)).changed, {
    what: 'its task was told, so it may run again',
  })
  await until(async () => (await phases('cancelled')).includes('start'))
  t.match(await performAction(db, 'cancel', id, by), { changed: true, state: 'running' })
  await inState(id, 'cancelled')
  await until(async () => (await performAction(db, 'retry', id, by)).changed, { what: 'it may run once more' })
  await openGate(db, 'cancelled')
  await inState(id, 'done')
})

t.test('a waiting untracked job is cancelled and its task is told; a running one cannot be', async (t) => {
  const waiting = await enqueue(db, plain, { name: 'plain waits' }, { at: later() })
  t.match(await performAction(db, 'cancel', `core:${waiting}`, by), { changed: true, state: 'scheduled' })
  await until(async () => (await phases('plain waits')).includes('given up'))
  await t.rejects(performAction(db, 'cancel', `core:${waiting}`, by), { name: 'UnknownNameError' })
  const running = await enqueue(db, plain, { name: 'plain runs', gate: 'plain runs' })
  await until(async () => (await phases('plain runs')).includes('start'))
  t.match(await performAction(db, 'cancel', `core:${running}`, by), {
    changed: false,
    state: 'running',
    message: /tracked/,
  })
  await openGate(db, 'plain runs')
})

t.test('a discarded run leaves the queue, stays on record, and can still be tried again', async (t) => {
  const id = await enqueue(db, precious, { name: 'discarded', how: 'permanent', times: 1 })
  await inState(id, 'failed')
  t.match(await performAction(db, 'discard', id, by), { changed: true, state: 'failed' })
  t.match(await performAction(db, 'discard', id, by), { changed: false, state: 'discarded' })
  const { jobs } = await list.list(db, queues, { state: 'discarded' }, { limit: 10 })
  t.match(jobs, [{ name: id, run_id: id }])
  t.match(await performAction(db, 'retry', id, by), { changed: true, state: 'discarded' })
  await inState(id, 'done')
})

t.test('what an action is not for is left alone, with a reason', async (t) => {
  const id = await enqueue(db, precious, { name: 'left alone' }, { at: later() })
  t.match(await performAction(db, 'retry', id, by), {
    changed: false,
    state: 'scheduled',
    message: /already scheduled/,
  })
  t.match(await performAction(db, 'discard', id, by), { changed: false, message: /Cancel it/ })
  await t.rejects(performAction(db, 'retry', 'core:999999', by), { name: 'UnknownNameError' })
  await t.rejects(performAction(db, 'retry', 'cellar:1', by), { message: /core, media-intake, media/ })
  await t.rejects(performAction(db, 'retry', 'what', by), { message: /POOL:NUMBER/ })
})

t.test('a run whose worker died too often is not tried again while its task is being told', async (t) => {
  const id = await enqueue(db, precious, { name: 'being told' }, { at: later() })
  await db.query(sql.typeAlias('void')`
    update jobs_core._private_jobs set attempts = max_attempts where payload ->> 'run' = ${id}`)
  const notice = await enqueue(
    db,
    notifyDead,
    { task: precious.name, envelope: { payload: {}, run: id } },
    { at: later() },
  )
  await db.query(sql.typeAlias('void')`
    update jobs_core._private_jobs set locked_at = now(), locked_by = 'x' where id = ${notice}`)
  t.match(await performAction(db, 'retry', id, by), { changed: false, state: 'failed', message: /moment/ })
  await db.query(sql.typeAlias('void')`delete from jobs_core._private_jobs where id = ${notice}`)
  await runs.fail(db, id, 'Its worker died.', { payload: { name: 'being told' }, run: id })
  t.match(await performAction(db, 'retry', id, by), { changed: true })
  await inState(id, 'done')
})

// The worker is busy with the result of this test for a while, so jobs of later tests would wait behind it.
t.test('all that match are acted on in batches, others are not, and it is noted who did it', async (t) => {
  const names = Array.from({ length: 2_500 }, (_, i) => ({ name: `batch ${i}` }))
  await enqueueMany(db, plain, names, { at: later(), requestId: 'batch' })
  const kept = await enqueue(db, plain, { name: 'kept' }, { at: later() })
  const filter = { search: 'batch', task: plain.name }
  t.equal(await countMatchingJobs(db, 'cancel', filter), 2_500)
  const seen: number[] = []
  const counts = await performActionOnAll(db, 'cancel', filter, by, { onProgress: (n) => seen.push(n) })
  t.strictSame(counts, { changed: 2_500, refused: {} })
  t.strictSame(seen, [1_000, 2_000, 2_500])
  t.equal((await describeJob(db, `core:${kept}`)).state, 'scheduled')
  const [noted] = await controls.actions(db, { limit: 1 })
  t.match(noted, { actor: 'test', action: 'cancel', count: 2_500, target: /search batch/ })
})

t.test('secrets in a payload are masked, by their names and by their looks', async (t) => {
  const payload = { payload: { name: 'x', api_key: 'a', nested: [{ accessToken: 'b' }], url: 'https://u:p@host/' } }
  const [added] = await queue.addMany(db, 'jobs_media', [{ task: 'test/none', payload, attempts: 1, at: later() }])
  const shown = JSON.stringify((await describeJob(db, `media:${added?.id}`)).payload)
  t.equal(shown, '{"name":"x","api_key":"[masked]","nested":[{"accessToken":"[masked]"}],"url":"[masked]"}')
})

t.test('a list shows every job once, newest first, across queues and those that left theirs', async (t) => {
  const names: string[] = []
  let cursor: string | undefined
  let last = Number.POSITIVE_INFINITY
  do {
    const page = await list.list(db, queues, {}, { limit: 20, cursor })
    const times = page.jobs.map(({ created_at }) => created_at.getTime())
    t.ok([last, ...times].every((time, i, all) => time <= (all[i - 1] ?? time)))
    last = times.at(-1) ?? last
    names.push(...page.jobs.map(({ name }) => name))
    cursor = page.next ?? undefined
  } while (cursor)
  t.equal(new Set(names).size, names.length)
  for (const state of ['done', 'discarded', 'failed', 'scheduled'] as const) {
    const { jobs } = await list.list(db, queues, { state }, { limit: 500 })
    t.ok(
      jobs.every((job) => job.state === state && names.includes(job.name)),
      state,
    )
  }
  await t.rejects(list.list(db, queues, {}, { limit: 1, cursor: 'x' }), { name: 'BadCursorError' })
})

t.test('the overview counts what the lists show', async (t) => {
  const pools = await readOverview(db, queues)
  t.strictSame(
    pools.map(({ pool }) => pool),
    queues.map(({ pool }) => pool),
  )
  for (const state of ['scheduled', 'failed'] as const) {
    const { jobs } = await list.list(db, queues, { state, pool: 'core', task: precious.name }, { limit: 500 })
    t.equal(pools[0]?.tasks.find(({ task }) => task === precious.name)?.[state] ?? 0, jobs.length, state)
  }
})
