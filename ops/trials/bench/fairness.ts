import { newId } from '#lib/ids.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { age } from '#sql/jobs/ageing.ts'
import { recount } from '#sql/jobs/backlogs.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { agedAfterMs, agedLevel, levelSize } from '#tasks/queue/fairness.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu } from './cpu.ts'
import type { DrainResult } from './fairness/drain.ts'
import { padded } from './fairness/padded.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

/** Work without an organisation gets no level and no count. Work of an organisation gets both. */
type Side = 'plain' | 'fair'

const callers = 8
const slices = 10

const orderOf = (round: number): Side[] => (round % 2 === 0 ? ['plain', 'fair'] : ['fair', 'plain'])

export const fairness: Benchmark = {
  summary: 'enqueueing and claiming with fair levels, compared with the same work without levels',
  options: {
    jobs: { about: 'jobs per round of claims', default: 30_000 },
    singles: { about: 'jobs enqueued one by one per round', default: 3_000 },
    rounds: { about: 'rounds per side', default: 5 },
    organisations: { about: 'number of organisations', default: 200 },
  },
  async run({ jobs = 30_000, singles = 3_000, rounds = 5, organisations = 200 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, callers + 2)
    ends.defer(() => db.end())
    const backlogs = new BacklogSync(db)
    ends.defer(() => backlogs.stop())
    const orgs = Array.from({ length: organisations }, () => newId())
    const orgOf = (side: Side, i: number) => (side === 'fair' ? { orgId: orgs[i % orgs.length] as string } : {})
    const found = { single: sides(), many: sides(), claim: sides() }
    for (let round = 0; round < rounds; round++) {
      await tidy(db)
      for (let slice = 0; slice < slices; slice++) {
        // Alternates between both sides, so that other load affects both.
        for (const side of orderOf(slice)) {
          const count = Math.ceil(singles / slices)
          const orgs = (i: number) => orgOf(side, slice * count + i)
          found.single[side].push(await measured(count, () => addSingles(db, count, orgs)))
        }
      }
      // The second side runs on a warmer machine, so both alternate.
      for (const side of orderOf(round)) {
        await tidy(db)
        found.many[side].push(await measured(jobs, () => addMany(db, jobs, (i) => orgOf(side, i))))
        await vacuum(db)
        const drain = () => runChild<DrainResult>('./fairness/drain.ts', { url, jobs })
        found.claim[side].push(await measured(jobs, drain))
      }
      console.log(`  round ${round + 1} of ${rounds}`)
    }
    const compared = (what: string, of: Record<Side, Cost[]>, most: number) => ({
      what,
      unit: 'us',
      limit: median(of.plain.map(({ cpu }) => cpu)),
      product: median(of.fair.map(({ cpu }) => cpu)),
      demand: { atMost: most },
    })
    const wall = (of: Record<Side, Cost[]>) =>
      (median(of.fair.map(({ wall }) => wall)) / median(of.plain.map(({ wall }) => wall))).toFixed(2)
    return {
      comparisons: [
        compared('enqueued one a transaction', found.single, 1.15),
        compared('enqueued many a transaction', found.many, 1.1),
        compared('claimed and done', found.claim, 1.15),
      ],
      notes: [
        `CPU per job of this process, the worker and Postgres together; the ratios of elapsed time are ${wall(found.single)}, ${wall(found.many)} and ${wall(found.claim)}`,
        `medians of ${rounds} rounds; jobs of ${organisations} organisations compared with as many without one; no-op jobs, 24 in parallel, 500 fetched ahead`,
        ...(await passes(db)),
      ],
      rounds: found,
    }
  },
}

interface Cost {
  cpu: number
  wall: number
}

const sides = (): Record<Side, Cost[]> => ({ plain: [], fair: [] })

async function measured(jobs: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = cpuSum(await measureTreeCpu(process.pid))
  const wall = await timed(jobs, work)
  return { cpu: ((cpuSum(await measureTreeCpu(process.pid)) - before) * 1e6) / jobs, wall }
}

async function timed(jobs: number, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return ((performance.now() - begun) * 1_000) / jobs
}

const payloadOf = ({ orgId }: { orgId?: string }) => (orgId ? {} : { pad: nobody })
const nobody = newId()

async function addSingles(db: DatabasePool, count: number, orgOf: (i: number) => { orgId?: string }): Promise<void> {
  let next = 0
  const call = async () => {
    while (next < count) {
      const i = next++
      await db.transaction((tx) => enqueue(tx, padded, payloadOf(orgOf(i)), orgOf(i)))
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
}

async function addMany(db: DatabasePool, count: number, orgOf: (i: number) => { orgId?: string }): Promise<void> {
  for (let done = 0; done < count; done += 10_000) {
    const batch = Math.min(10_000, count - done)
    const payloads = Array.from({ length: batch }, (_, i) => payloadOf(orgOf(done + i)))
    await enqueueMany(db, padded, payloads, (i) => orgOf(done + i))
  }
}

async function tidy(db: DatabasePool): Promise<void> {
  await db.query(sql.typeAlias('void')`truncate jobs_core._private_jobs`)
  await recount(db, 'core', 'jobs_core', levelSize)
  await vacuum(db)
}

const vacuum = (db: DatabasePool) => db.query(sql.typeAlias('void')`vacuum analyze jobs_core._private_jobs`)

async function passes(db: DatabasePool): Promise<string[]> {
  await tidy(db)
  const orgs = Array.from({ length: 200 }, () => newId())
  await addMany(db, 100_000, (i) => ({ orgId: orgs[i % orgs.length] as string }))
  await vacuum(db)
  const queue = { pool: 'core', queue: 'jobs_core', most: 50, levelSize, agedLevel }
  const looks: number[] = []
  for (let i = 0; i < 5; i++)
    looks.push(await timed(1_000, async () => void (await age(db, { ...queue, afterMs: agedAfterMs }))))
  const aged = await timed(1_000, async () => void (await age(db, { ...queue, afterMs: 0 })))
  const counted = await timed(1_000, () => recount(db, 'core', 'jobs_core', levelSize))
  return [
    `with 100,000 waiting jobs: a check for old jobs ${median(looks).toFixed(1)} ms, ageing 50 of them ${aged.toFixed(1)} ms, a recount ${counted.toFixed(0)} ms`,
  ]
}
