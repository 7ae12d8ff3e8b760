/**
 * A worker process that processes a backlog of constant size during analyzes. It sends the number of jobs of each
 * second.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openPool } from '#sql/db.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { startFleet } from '../../../../workers/runtime/fleet.ts'
import { sendResult } from '../child.ts'
import { noOp } from '../no-op.ts'
import { addLimitJobs, startLimit } from '../queue/limit.ts'

export interface RateSettings {
  url: string
  side: 'limit' | 'product'
  schema: string
  seconds: number
  analyzes: number
}

const warmUp = 2
const slots = { concurrency: 64, fetchAhead: 500 }

const { url, side, schema, seconds, analyzes } = JSON.parse(process.argv[2] ?? '{}') as RateSettings
const first = Promise.withResolvers<void>()
let done = 0
const work = async () => {
  await pause(1)
  if (done++ === 0) first.resolve()
}
const client = new pg.Client({ connectionString: url })
await client.connect()
const db = await openPool(url, 2)
const worker = side === 'limit' ? await startLimit(url, slots, work) : await startProduct()
let fed = 0
let isOver = false
const feeding = feed()
await first.promise
await pause(warmUp * 1_000)
const rates = await measure()
isOver = true
await feeding
sendResult(rates)
await worker.stop()
await client.end()
await db.end()
process.exit(0)

async function feed(): Promise<void> {
  while (!isOver) {
    const count = Math.min(5_000, done - fed)
    if (count > 0 && side === 'limit') await addLimitJobs(url, count)
    else if (count > 0) await enqueueMany(db, noOp, Array(count).fill({}))
    fed += count
    await pause(20)
  }
}

async function measure(): Promise<number[]> {
  const rates: number[] = []
  let vacuuming = Promise.resolve<unknown>(undefined)
  for (let second = 0; second < seconds; second++) {
    const [before, begun] = [done, performance.now()]
    if (second % Math.ceil(seconds / (analyzes + 1)) === 0 && second > 0) {
      vacuuming = vacuuming.then(() => client.query(`vacuum analyze ${schema}._private_jobs`))
    }
    await pause(1_000)
    rates.push(((done - before) * 1_000) / (performance.now() - begun))
  }
  await vacuuming
  return rates
}

async function startProduct() {
  const tools = { storage: undefined as never, certificates: undefined as never, giveUp: async () => {} }
  const plan = { pool: 'core' as const, settings: slots, tasks: [{ ...noOp, run: work }], tools }
  return await startFleet(url, [plan], { lease: 60_000, sweep: 1_000, grace: 5_000 }, (why) => {
    throw new Error(why)
  })
}
