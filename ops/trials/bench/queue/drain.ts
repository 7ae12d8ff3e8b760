/** A worker process that drains a queue and reports the duration. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startFleet } from '../../../../workers/runtime/fleet.ts'
import { sendResult } from '../child.ts'
import { noOp } from '../no-op.ts'
import { idlePoolPlans } from './idle-pools.ts'
import { limitSchema, startLimit } from './limit.ts'

export interface DrainSettings {
  url: string
  side: 'limit' | 'product'
  jobs: number
  concurrency: number
  fetchAhead: number
  idle: number
}

/** Result, from the start of the first job until the queue is empty. */
export interface DrainResult {
  seconds: number
  cpuSeconds: number
}

const settings = JSON.parse(process.argv[2] ?? '{}') as DrainSettings
const all = Promise.withResolvers<void>()
let begun = 0
let usage = process.cpuUsage()
let left = settings.jobs

function count(): void {
  if (begun === 0) {
    begun = performance.now()
    usage = process.cpuUsage()
  }
  if (--left === 0) all.resolve()
}

const client = new pg.Client({ connectionString: settings.url })
await client.connect()
const worker = settings.side === 'limit' ? await startLimit(settings.url, settings, count) : await startProduct()
await all.promise
const schema = settings.side === 'limit' ? limitSchema : 'jobs_core'
while ((await client.query(`select from ${schema}._private_jobs limit 1`)).rowCount) await pause(1)
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(usage)
sendResult({ seconds, cpuSeconds: (user + system) / 1e6 } satisfies DrainResult)
await worker.stop()
await client.end()
process.exit(0)

async function startProduct() {
  const { url, concurrency, fetchAhead, idle } = settings
  const counted = { ...noOp, run: async () => count() }
  const tools = { storage: undefined as never, certificates: undefined as never, giveUp: async () => {} }
  const plan = { pool: 'core' as const, settings: { concurrency, fetchAhead }, tasks: [counted], tools }
  return await startFleet(url, [plan, ...idlePoolPlans(idle)], { lease: 10_000, sweep: 1_000, grace: 5_000 }, (why) => {
    throw new Error(why)
  })
}
