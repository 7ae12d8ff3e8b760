import { cacheFor } from '#lib/cached-for.ts'
import { type Reading, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Db } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as workers from '#sql/jobs/workers.ts'
import { tasks } from '../index.ts'
import { poolNames, queues } from '../pools.ts'

// Every process reports the same values for the fleet. Use `max by (pool, task)` over processes, not the sum.
const fleetWide = 'Every process reports the same value for the fleet, so aggregate with max, not sum.'
const jobs = watchedGauge(
  'millrace_queue_jobs',
  `Jobs that are waiting (due), scheduled (not due yet), held (their task is paused), running (locked by a worker) or failed (no attempts left), sampled once per minute. ${fleetWide}`,
  ['pool', 'task', 'state'],
)
const oldest = watchedGauge(
  'millrace_queue_oldest_seconds',
  `Seconds since the oldest waiting job was due, sampled once per minute. ${fleetWide}`,
  ['pool', 'task'],
)
const headcount = watchedGauge(
  'millrace_workers',
  `Workers that are alive, or were lost within ten minutes. ${fleetWide}`,
  ['pool', 'state'],
)
const suspects = watchedGauge(
  'millrace_queue_suspects',
  `Jobs whose worker died while running them, and that have not ended since. ${fleetWide}`,
  ['pool'],
)
const paused = watchedGauge(
  'millrace_queue_paused',
  `Whether an operator has paused the pool (1) or not (0), with an empty task. 1 for each paused task. ${fleetWide}`,
  ['pool', 'task'],
)
const up = watchedGauge('millrace_database_up', 'Whether the database responded to this process (1) or not (0).', [])

const freshMs = 5_000

const states = ['waiting', 'scheduled', 'held', 'running', 'failed'] as const

export function observeQueues(db: Db): () => void {
  const seen = cacheFor(() => lastSample(db), freshMs)
  const heads = cacheFor(() => workers.countWorkers(db, poolNames), freshMs)
  const stops = [
    jobs.watch(async () => withZeros(await seen()).flatMap(countsOf)),
    oldest.watch(async () =>
      withZeros(await seen()).map(({ pool, task, oldest_s }) => ({ labels: { pool, task }, value: oldest_s })),
    ),
    headcount.watch(async () =>
      (await heads()).flatMap(({ pool, alive, lost }) => [
        { labels: { pool, state: 'alive' }, value: alive },
        { labels: { pool, state: 'lost' }, value: lost },
      ]),
    ),
    suspects.watch(async () => (await heads()).map(({ pool, suspects: value }) => ({ labels: { pool }, value }))),
    paused.watch(async () => pausesOf(await controls.pauses(db))),
    up.watch(async () => {
      const answered = await heads().then(
        () => 1,
        () => 0,
      )
      return [{ labels: {}, value: answered }]
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/**
 * Returns the latest sample of the queues. Takes a sample if no worker has. Each complete queue is read only once per
 * minute.
 */
async function lastSample(db: Db): Promise<readonly depths.Depth[]> {
  await depths.sample(db, queues)
  return await depths.latest(db)
}

function withZeros(sampled: readonly depths.Depth[]): depths.Depth[] {
  const all = new Map(
    tasks.map(({ pool, name }) => [
      `${pool} ${name}`,
      { pool: pool as string, task: name, waiting: 0, scheduled: 0, held: 0, running: 0, failed: 0, oldest_s: 0 },
    ]),
  )
  for (const depth of sampled) all.set(`${depth.pool} ${depth.task}`, depth)
  return [...all.values()]
}

const countsOf = (depth: depths.Depth): Reading[] =>
  states.map((state) => ({ labels: { pool: depth.pool, task: depth.task, state }, value: depth[state] }))

function pausesOf(pauses: readonly controls.Pause[]): Reading[] {
  const wholes = new Set(pauses.filter(({ task }) => task === '').map(({ pool }) => pool))
  return [
    ...poolNames.map((pool) => ({ labels: { pool, task: '' }, value: wholes.has(pool) ? 1 : 0 })),
    ...pauses.filter(({ task }) => task !== '').map(({ pool, task }) => ({ labels: { pool, task }, value: 1 })),
  ]
}
