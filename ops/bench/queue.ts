import pg from 'pg'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { enqueueMany } from '#tasks/enqueue.ts'
import { pools } from '#tasks/pools.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { makeDatabase, makeFolder } from './ground.ts'
import { noOp } from './no-op.ts'
import type { Drained, DrainSettings } from './queue/drain.ts'
import { addLimitJobs, limitSchema, makeLimitSchema } from './queue/limit.ts'

type Side = DrainSettings['side']

/** How fast one worker process drains jobs that do nothing, beside the queue library alone at its best settings. */
export const queue: Benchmark = {
  summary: 'no-op jobs a second through one worker process, beside graphile-worker alone',
  options: {
    jobs: { about: 'jobs in a round', default: 50_000 },
    rounds: { about: 'rounds of each', default: 5 },
  },
  async run({ jobs = 50_000, rounds = 5 }, ends) {
    const url = await makeDatabase(await makeFolder(ends), ends)
    await makeLimitSchema(url)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const found: Record<Side, Drained[]> = { limit: [], product: [] }
    for (let round = 0; round < rounds; round++) {
      // Whoever comes second finds a warmer machine, so that they take turns at it.
      const order: Side[] = round % 2 === 0 ? ['limit', 'product'] : ['product', 'limit']
      for (const side of order) {
        await fill(side, url, db, jobs)
        const drained = await runChild<Drained>('./queue/drain.ts', { url, side, jobs, ...pools.core })
        found[side].push(drained)
        console.log(`  ${side}: ${Math.round(jobs / drained.seconds).toLocaleString('en')} jobs/s`)
      }
    }
    const rate = (side: Side) => median(found[side].map(({ seconds }) => jobs / seconds))
    const cost = (side: Side) => median(found[side].map(({ cpuSeconds }) => (cpuSeconds / jobs) * 1e6)).toFixed(1)
    return {
      comparisons: [
        {
          what: 'no-op jobs drained',
          unit: 'jobs/s',
          limit: rate('limit'),
          product: rate('product'),
          demand: { atLeast: 0.85 },
        },
      ],
      notes: [
        `medians of ${rounds} rounds of ${jobs.toLocaleString('en')} jobs, each in a fresh process; concurrency ${pools.core.concurrency}, ${pools.core.fetchAhead} fetched ahead`,
        `CPU of the worker process a job: limit ${cost('limit')} us, product ${cost('product')} us`,
      ],
      rounds: found,
    }
  },
}

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
