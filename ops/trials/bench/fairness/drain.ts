/** A worker process that drains the core pool with fair scheduling and reports the duration. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { pools } from '#tasks/pools.ts'
import { core } from '../../../../workers/core/index.ts'
import { startFleet } from '../../../../workers/runtime/fleet.ts'
import { sendResult } from '../child.ts'
import { padded } from './padded.ts'

export interface DrainResult {
  seconds: number
  cpuSeconds: number
}

const { url, jobs } = JSON.parse(process.argv[2] ?? '{}') as { url: string; jobs: number }
const all = Promise.withResolvers<void>()
let begun = 0
let usage = process.cpuUsage()
let left = jobs
const counted = {
  ...padded,
  async run() {
    if (begun === 0) {
      begun = performance.now()
      usage = process.cpuUsage()
    }
    if (--left === 0) all.resolve()
  },
}
const client = new pg.Client({ connectionString: url })
await client.connect()
const settings = { concurrency: core.concurrency, fetchAhead: pools.core.fetchAhead }
const tools = { storage: undefined as never, certificates: undefined as never, giveUp: async () => {} }
const plan = { pool: 'core' as const, settings, tasks: [counted], tools }
const fleet = await startFleet(url, [plan], { lease: 60_000, sweep: 1_000, grace: 5_000 }, (why) => {
  throw new Error(why)
})
await all.promise
while ((await client.query('select from jobs_core._private_jobs limit 1')).rowCount) await pause(1)
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(usage)
sendResult({ seconds, cpuSeconds: (user + system) / 1e6 } satisfies DrainResult)
await fleet.stop()
await client.end()
process.exit(0)
