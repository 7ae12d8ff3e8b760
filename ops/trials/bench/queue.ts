import pg from 'pg'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { pools } from '#tasks/pools.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { core } from '../../../workers/core/index.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { noOp } from './no-op.ts'
import type { DrainResult, DrainSettings } from './queue/drain.ts'
import { makeIdleQueues } from './queue/idle-pools.ts'
import { addLimitJobs, limitSchema, makeLimitSchema } from './queue/limit.ts'
import type { Pace, PaceSettings } from './queue/pace.ts'

/** Only the library, a process with one pool, and a process with many more idle pools. */
type Side = 'limit' | 'product' | 'beside'

const idlePools = 15
const paceSeconds = 5

const settings = { concurrency: core.concurrency, fetchAhead: pools.core.fetchAhead }

export const queue: Benchmark = {
  summary: 'empty jobs per second in one worker process, compared with plain graphile-worker',
  options: {
    jobs: { about: 'jobs in a round', default: 50_000 },
    rounds: { about: 'rounds per side', default: 5 },
  },
  async run({ jobs = 50_000, rounds = 5 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    await makeLimitSchema(url)
    await makeIdleQueues(url, idlePools)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const found: Record<Side, DrainResult[]> = { limit: [], product: [], beside: [] }
    const paces: Record<'product' | 'beside', Pace[]> = { product: [], beside: [] }
    for (let round = 0; round < rounds; round++) {
      // The later side runs on a warmer machine, so all alternate.
      const order: Side[] = ['limit', 'product', 'beside']
      if (round % 2 === 1) order.reverse()
      for (const side of order) {
        await fill(side, url, db, jobs)
        const drain: DrainSettings = {
          url,
          side: side === 'limit' ? 'limit' : 'product',
          jobs,
          idle: idleOf(side),
          ...settings,
        }
        const drained = await runChild<DrainResult>('./queue/drain.ts', drain)
        found[side].push(drained)
        console.log(`  ${side}: ${Math.round(jobs / drained.seconds).toLocaleString('en')} jobs/s`)
      }
      for (const side of round % 2 === 0 ? (['product', 'beside'] as const) : (['beside', 'product'] as const)) {
        const paceSettings: PaceSettings = { url, idle: idleOf(side), seconds: paceSeconds }
        paces[side].push(await runChild<Pace>('./queue/pace.ts', paceSettings))
      }
    }
    const rate = (side: Side) => median(found[side].map(({ seconds }) => jobs / seconds))
    const paceOf = (side: 'product' | 'beside', figure: keyof Pace) => median(paces[side].map((pace) => pace[figure]))
    const cost = (side: Side) => median(found[side].map(({ cpuSeconds }) => (cpuSeconds / jobs) * 1e6))
    return {
      comparisons: [
        {
          what: 'no-op jobs drained',
          unit: 'jobs/s',
          limit: rate('limit'),
          product: rate('product'),
          demand: { atLeast: 0.97 },
        },
        {
          what: `the same next to ${idlePools} idle pools`,
          unit: 'jobs/s',
          limit: rate('product'),
          product: rate('beside'),
          demand: { atLeast: 0.97 },
        },
        {
          what: 'CPU of the worker per no-op job',
          unit: 'us',
          limit: cost('limit'),
          product: cost('product'),
          demand: { productAtMost: 20 },
        },
        {
          what: `jobs accepted next to ${idlePools} idle pools`,
          unit: 'jobs/s',
          limit: paceOf('product', 'accepted'),
          product: paceOf('beside', 'accepted'),
          demand: { atLeast: 0.95 },
        },
        {
          what: `enqueue to start next to ${idlePools} idle pools, p50`,
          unit: 'ms',
          limit: paceOf('product', 'p50'),
          product: paceOf('beside', 'p50'),
          demand: { productAtMost: 3 },
        },
        {
          what: `enqueue to start next to ${idlePools} idle pools, p99`,
          unit: 'ms',
          limit: paceOf('product', 'p99'),
          product: paceOf('beside', 'p99'),
          demand: { productAtMost: 10 },
        },
        { what: 'connections', unit: '', limit: 40, product: paceOf('beside', 'connections'), demand: { atMost: 1 } },
      ],
      notes: [
        `medians of ${rounds} rounds of ${jobs.toLocaleString('en')} jobs, each in a fresh process; concurrency ${settings.concurrency}, ${settings.fetchAhead} fetched ahead`,
        'limit of the measurements with idle pools: a process with only one pool',
      ],
      rounds: { drained: found, paced: paces },
    }
  },
}

const idleOf = (side: Side) => (side === 'beside' ? idlePools : 0)

async function fill(side: Side, url: string, db: DatabasePool, jobs: number): Promise<void> {
  if (side === 'limit') await addLimitJobs(url, jobs)
  else for (let left = jobs; left > 0; left -= 10_000) await addJobs(db, Math.min(left, 10_000))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`vacuum analyze ${side === 'limit' ? limitSchema : 'jobs_core'}._private_jobs`)
  await client.query('checkpoint').catch(() => {})
  await client.end()
}

const addJobs = (db: DatabasePool, count: number) => enqueueMany(db, noOp, Array(count).fill({}))
