import { hostname } from 'node:os'
import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as fleet from '#sql/jobs/fleet.ts'
import * as list from '#sql/jobs/list.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import { countMisplaced } from '#sql/jobs/parking.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { queues } from '#tasks/pools.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain, precious } from './work.ts'

const { url, db } = await testDatabase(t)
await installEffects(db)
const settings = { concurrency: 4, fetchAhead: 50 }
await startWorker(t, url, settings)

const by = { actor: 'test' }
const pool = { pool: 'core' as const, task: '' }
const core = { pool: 'core', schema: 'jobs_core' }
const task = { pool: 'core' as const, task: plain.name }
const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
const has = (name: string, phase: string) =>
  until(async () => (await phases(name)).includes(phase), { what: `${name}: ${phase}` })

const depthOf = async (name: string) => (await depths.measure(db, queues)).find((depth) => depth.task === name)
const pausesApplied = () => until(async () => (await countMisplaced(db, core)) === 0, { what: 'pauses are applied' })
const locked = (db: Db) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from jobs_core._private_jobs where locked_at is not null`)

/** Waits until every worker knows that it cannot start jobs. */
const stopped = () =>
  until(
    async () => {
      const workers = await fleet.workers(db, queues, { ended: false })
      return workers.length > 0 && workers.every(({ fetches }) => !fetches)
    },
    { what: 'no worker fetches' },
  )

t.test('a paused pool starts nothing; what runs goes on; resumed, all that waited is done', async (t) => {
  const running = await enqueue(db, precious, { name: 'runs', gate: 'runs' })
  await has('runs', 'start')
  t.equal(await controls.pause(db, pool, by), true)
  t.equal(await controls.pause(db, pool, by), false, 'pausing twice is pausing once')
  await stopped()
  await enqueueMany(db, plain, [{ name: 'while paused' }, { name: 'while paused' }])
  await openGate(db, 'runs')
  await has('runs', 'end')
  await until(async () => (await locked(db)) === 0, { what: 'what was fetched ahead is back' })
  t.strictSame(await phases('while paused'), [])
  t.equal((await readOverview(db, queues))[0]?.paused, true)
  t.ok(running)

  await startWorker(t, url, settings)
  await stopped()
  await enqueue(db, plain, { name: 'after a start' })
  t.equal(await controls.resume(db, pool, 'test'), true)
  t.equal(await controls.resume(db, pool, 'test'), false)
  await until(async () => (await phases('while paused')).filter((phase) => phase === 'end').length === 2)
  await has('after a start', 'end')
})

t.test('a paused task’s jobs are held back in their order, its neighbours’ are not', async (t) => {
  await controls.pause(db, task, { ...by, reason: 'a test' })
  const due = new Date(Date.now() - 60_000)
  const ids = await enqueueMany(
    db,
    plain,
    Array.from({ length: 300 }, (_, i) => ({ name: `held ${i}` })),
    { at: due },
  )
  await enqueue(db, precious, { name: 'neighbour' })
  await has('neighbour', 'end')
  await pausesApplied()
  await until(async () => (await locked(db)) === 0)
  const { jobs } = await list.list(db, queues, { state: 'paused' }, { limit: 500 })
  const held = jobs.filter(({ name }) => ids.includes(name.slice('core:'.length)))
  // Jobs that started before a worker knew of the pause are done. No other job is lost.
  const began = (await Promise.all(ids.map((_, i) => phases(`held ${i}`)))).filter(({ length }) => length > 0).length
  t.equal(held.length + began, 300)
  t.ok(held.every((job) => Math.abs((job.due_at as Date).getTime() - due.getTime()) < 1 && job.attempts === 0))
  const shown = (await readOverview(db, queues))[0]?.tasks.find((each) => each.task === plain.name)
  t.match(shown, { paused: true, held: held.length, waiting: 0, oldest_s: null })

  await startWorker(t, url, settings)
  await enqueue(db, plain, { name: 'added meanwhile' })
  await pausesApplied()
  t.equal(await controls.resume(db, task, 'test'), true)
  await has('held 299', 'end')
  await has('added meanwhile', 'end')
  await until(async () =>
    (await Promise.all(ids.map((_, i) => phases(`held ${i}`)))).every((seen) => seen.includes('end')),
  )
  t.strictSame(await phases('held 0'), ['start', 'end'])
})

t.test('a task’s pause ends though the pool is paused, too', async () => {
  await controls.pause(db, task, by)
  await enqueue(db, plain, { name: 'twice paused' })
  await pausesApplied()
  await controls.pause(db, pool, by)
  await stopped()
  await controls.resume(db, task, 'test')
  await pausesApplied()
  await controls.resume(db, pool, 'test')
  await has('twice paused', 'end')
})

t.test('a drained host starts nothing; its workers stay alive and finish what they run', async (t) => {
  await startWorker(t, url, settings)
  await enqueue(db, precious, { name: 'on the host', gate: 'host' })
  await has('on the host', 'start')
  t.equal(await controls.drain(db, hostname(), 'test'), true)
  await stopped()
  t.match(await fleet.countDraining(db, queues, hostname()), { fetching: 0, held: 1 })
  const workers = await fleet.workers(db, queues, { ended: false })
  t.equal(workers.length, 2)
  t.ok(workers.every(({ state, draining }) => state === 'alive' && draining))
  await openGate(db, 'host')
  await until(async () => (await fleet.countHeld(db, queues, hostname())) === 0)
  await enqueue(db, plain, { name: 'undrained' })
  t.equal(await controls.undrain(db, hostname(), 'test'), true)
  await has('undrained', 'end')
  // A job that is done but not reported would start again when the worker ends with this test.
  await until(async () => (await depthOf(plain.name)) === undefined, { what: 'nothing is left to do' })
})

t.test('the gauges and the history count what a paused task has as held, and not as scheduled', async (t) => {
  await controls.pause(db, pool, by)
  await stopped()
  await controls.pause(db, task, by)
  await enqueueMany(db, plain, [{ name: 'held' }, { name: 'held' }])
  await controls.applyPauses(db, 'core')
  await pausesApplied()
  t.match(await depthOf(plain.name), { waiting: 0, scheduled: 0, held: 2, oldest_s: 0 })
  await controls.resume(db, task, 'test')
  await controls.resume(db, pool, 'test')
  await has('held', 'end')
})
