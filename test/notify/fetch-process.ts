/** A worker process that calls customers’ servers, to be killed. */
import '../support/webhooks-environment.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import type { Tools } from '#tasks/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { fetchPlan } from './fetching.ts'

const [url = ''] = process.argv.slice(2)
const core = {
  pool: 'core' as const,
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [takeSteps],
  tools: {} as Tools['core'],
}
await startFleet(url, [core, fetchPlan().plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
