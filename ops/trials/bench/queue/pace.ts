/** A process that accepts jobs and processes them next to idle pools. It reports the rate and the delay. */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { openPool, sql } from '#sql/db.ts'
import { pools } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { task } from '#tasks/queue/task.ts'
import { core } from '../../../../workers/core/index.ts'
import { startFleet } from '../../../../workers/runtime/fleet.ts'
import { sendResult } from '../child.ts'
import { noOp } from '../no-op.ts'
import { idlePoolPlans } from './idle-pools.ts'

export interface PaceSettings {
  url: string
  idle: number
  seconds: number
}

export interface Pace {
  /** Number of jobs accepted per second from eight clients, each in its own transaction. */
  accepted: number
  /** Time in milliseconds from the start of a job's transaction to the start of the job, at `perSecond`. */
  p50: number
  p99: number
  connections: number
}

const perSecond = 400
const clients = 8

const { url, idle, seconds } = JSON.parse(process.argv[2] ?? '{}') as PaceSettings
const waits: number[] = []
const stamped = task({
  name: 'bench/stamped',
  pool: 'core',
  payload: z.object({ at: z.number() }),
  async run({ at }) {
    waits.push(performance.now() - at)
  },
})
const settings = { concurrency: core.concurrency, fetchAhead: pools.core.fetchAhead }
const tools = { storage: undefined as never, certificates: undefined as never, giveUp: async () => {} }
const plan = { pool: 'core' as const, settings, tasks: [stamped, noOp], tools }
const fleet = await startFleet(
  url,
  [plan, ...idlePoolPlans(idle)],
  { lease: 10_000, sweep: 1_000, grace: 5_000 },
  (why) => {
    throw new Error(why)
  },
)
const db = await openPool(url, clients)

await pace(1)
waits.length = 0
await pace(seconds)
const sorted = waits.toSorted((a, b) => a - b)
const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
const accepted = await accept()
sendResult({ accepted, p50: at(0.5), p99: at(0.99), connections: await connections() } satisfies Pace)
await fleet.stop()
await db.end()
process.exit(0)

/** Enqueues at an even rate, regardless of the duration of each call. */
async function pace(forSeconds: number): Promise<void> {
  const begun = performance.now()
  const sent: Promise<unknown>[] = []
  for (let i = 0; i < forSeconds * perSecond; i++) {
    const due = begun + (i * 1000) / perSecond
    if (due > performance.now()) await pause(due - performance.now())
    sent.push(db.transaction((tx) => enqueue(tx, stamped, { at: performance.now() })))
  }
  await Promise.all(sent)
  while ((await pending()) > 0) await pause(20)
}

async function accept(): Promise<number> {
  const end = performance.now() + seconds * 1000
  let count = 0
  const client = async () => {
    for (; performance.now() < end; count++) await db.transaction((tx) => enqueue(tx, noOp, {}))
  }
  await Promise.all(Array.from({ length: clients }, client))
  return count / seconds
}

async function pending(): Promise<number> {
  return await db.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*)::integer as count from jobs_core._private_jobs`,
  )
}

async function connections(): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer - ${clients} as count from pg_stat_activity where datname = current_database()`)
}
