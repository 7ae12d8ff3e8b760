/** A worker process to be killed. It posts chat messages, also to this machine. */
import '../support/chat-environment.ts'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'

const [url = '', secret = ''] = process.argv.slice(2)
const plan: PoolPlan<'webhooks'> = {
  pool: 'webhooks',
  settings: { concurrency: 8, fetchAhead: 0 },
  tasks: getTasksOfPool('webhooks'),
  tools: {
    outbound: createOutboundClient(),
    local: createOutboundClient(withLoopback),
    seal: createSeal(secret, sealPurpose),
  },
}
await startFleet(url, [plan as PoolPlan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
