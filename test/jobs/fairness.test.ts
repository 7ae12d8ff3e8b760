import t from 'tap'
import {
  agedAfter,
  checkPriority,
  levelOf,
  placed,
  priorityOf,
  retryAfter,
  startsPerAged,
} from '#tasks/queue/fairness.ts'
import { type Pool, random, type SimulatedJob, Simulation } from './simulation.ts'

const agedAfterMs = 60_000

t.test('a level is the logarithm of what waits, and fits the queue’s column with the priority', async (t) => {
  t.strictSame([0, 1, 2, 3, 6, 7, 999, 20_000].map(levelOf), [0, 1, 1, 2, 2, 3, 9, 14])
  t.equal(levelOf(-3), 0, 'counts that ran below 0 for a moment')
  t.ok(placed(999, 2 ** 32) <= 32_767)
  for (const column of [placed(10, 0), placed(10, 20_000), -1_000 + 10]) t.equal(priorityOf(column), 10)
  for (const wrong of [-1, 1_000, 0.5, Number.NaN]) t.throws(() => checkPriority(wrong), RangeError)
})

t.test('Retry-After is what the backlog takes at its rate, from 1 s to 60 s', async (t) => {
  t.equal(retryAfter(1, undefined), 10)
  t.equal(retryAfter(1, 1_000), 1)
  t.equal(retryAfter(100, 10), 10)
  t.equal(retryAfter(1, 0), 60)
})

t.test('one start in eight may go to the oldest, and no start is forgotten', async (t) => {
  t.strictSame(agedAfter(7, 50), { aged: 0, left: 7 })
  t.strictSame(agedAfter(17, 50), { aged: 2, left: 1 })
  t.strictSame(agedAfter(80_000, 50), { aged: 50, left: 0 })
})

/** A has 20,000 jobs waiting; a second later each of some others enqueues one. Returns theirs. */
function behindAFlood(pool: Pool, others: number, takes: number): SimulatedJob[] {
  const simulation = new Simulation(pool, agedAfterMs)
  simulation.enqueue('A', 20_000, () => takes)
  const jobs: SimulatedJob[] = []
  simulation.at(1_000, () => {
    for (let i = 0; i < others; i++) jobs.push(...simulation.enqueue(`B${i}`, 1, () => takes))
  })
  simulation.run()
  return jobs
}

t.test('behind 20,000 jobs of another, a first job starts next, however many others come with it', async (t) => {
  for (const takes of [10, 700, 30_000]) {
    for (const [i, job] of behindAFlood({ slots: 2 }, 10, takes).entries()) {
      t.ok((job.startedAfter ?? 0) <= i + 1, `${takes} ms: number ${i + 1} started after ${job.startedAfter} others`)
    }
  }
  const [unfair] = behindAFlood({ slots: 2, levels: false }, 1, 700)
  t.ok((unfair?.startedAfter ?? 0) > 19_000, 'in a plain queue it would wait for all of them')
})

/** Forty organisations with bursts, fan-outs and long jobs; one that comes without anything waiting is looked at. */
function busyDay(seed: number, pool: Pool) {
  const next = random(seed)
  const simulation = new Simulation(pool, agedAfterMs)
  const firsts: { job: SimulatedJob; active: number; aged: number }[] = []
  const all: SimulatedJob[] = []
  const takes = () => (next() < 0.02 ? 20_000 : 20 + next() * 400)
  for (let i = 0; i < 400; i++) {
    const org = `org ${Math.floor(next() * 40)}`
    const count = next() < 0.1 ? 300 : next() < 0.3 ? 20 : 1
    simulation.at(
      next() * 600_000,
      () => void all.push(...simulation.enqueue(org, count, takes, next() < 0.5 ? 0 : 10)),
    )
  }
  for (let i = 0; i < 60; i++) {
    simulation.at(next() * 600_000, () => {
      const waiting = all.filter((job) => job.startedAt === undefined)
      const [job] = simulation.enqueue(`new ${i}`, 1, takes) as [SimulatedJob]
      firsts.push({
        job,
        active: new Set(waiting.map(({ org }) => org)).size,
        aged: waiting.filter(({ column }) => column < 0).length,
      })
      all.push(job)
    })
  }
  simulation.run()
  return { simulation, firsts, all }
}

t.test('amid bursts, fan-outs and long jobs, a first job waits for a few of each active organisation', async (t) => {
  for (const seed of [1, 2, 3]) {
    const { firsts, all } = busyDay(seed, { slots: 8, lag: 400 })
    t.ok(
      all.every(({ startedAt }) => startedAt !== undefined),
      'every job ran',
    )
    for (const { job, active, aged } of firsts) {
      // Of each: one of its first, and what it enqueues while this one waits; and the oldest have their one start in eight.
      const bound = 2 * active + aged + (job.startedAfter ?? 0) / startsPerAged + 1
      if ((job.startedAfter ?? 0) > bound) t.fail(`seed ${seed}: ${job.startedAfter} others first, ${active} active`)
    }
    const worst = Math.max(...firsts.map(({ job }) => job.startedAfter ?? 0))
    const plain = busyDay(seed, { slots: 8, levels: false, ageing: false })
    t.ok(worst < Math.max(...plain.firsts.map(({ job }) => job.startedAfter ?? 0)) / 5, `the worst waited for ${worst}`)
  }
})

t.test('the work is done in the same time as in a plain queue: nobody idles while a job waits', async (t) => {
  for (const seed of [1, 2, 3]) {
    const fair = busyDay(seed, { slots: 8 }).simulation
    const plain = busyDay(seed, { slots: 8, levels: false, ageing: false }).simulation
    t.equal(fair.starts, plain.starts)
    t.ok(Math.abs(fair.ended - plain.ended) <= 20_000, 'to within the longest job')
  }
})

/** A's 500 jobs beside a hundred organisations, each of which has always exactly one job waiting: the pool is never free. */
function besideAStream(ageing: boolean): SimulatedJob[] {
  const simulation = new Simulation({ slots: 4, ageing }, agedAfterMs)
  const again = (org: string) => {
    const [job] = simulation.enqueue(org, 1, () => 500) as [SimulatedJob]
    const look = () => {
      if (job.startedAt === undefined) simulation.at(simulation.now + 100, look)
      else again(org)
    }
    simulation.at(simulation.now + 100, look)
  }
  for (let i = 0; i < 100; i++) simulation.at(0, () => again(`C${i}`))
  let jobs: SimulatedJob[] = []
  simulation.at(10_000, () => {
    jobs = simulation.enqueue('A', 2_000, () => 500)
  })
  simulation.run(900_000)
  return jobs
}

t.test('beside an endless stream of first jobs, the oldest still gets one start in eight', async (t) => {
  const jobs = besideAStream(true)
  const started = jobs.filter(({ startedAt }) => startedAt !== undefined)
  const sinceAged = ((900_000 - 10_000 - agedAfterMs) / 500) * 4
  t.ok(started.length > sinceAged / startsPerAged / 1.5, `${started.length} of A’s have started`)
  for (const [i, job] of started.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)).entries()) {
    const bound = 10_000 + agedAfterMs + 2_000 + ((i + 2) * startsPerAged * 500) / 4 + 1_000
    if ((job.startedAt ?? 0) > bound) t.fail(`number ${i} started at ${job.startedAt}, later than ${bound}`)
  }
  const without = besideAStream(false).filter(({ startedAt }) => startedAt !== undefined)
  t.ok(without.length <= 1, 'without ageing only the first does')
})
