/** A worker process to be killed. It sends through the server of its second argument. */
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/sms/providers.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { createGateway } from '../../workers/sms/gateway.ts'

const [url = '', server = '', secret = ''] = process.argv.slice(2)
const client = () => createOutboundClient({ ...withLoopback })
const gateway = createGateway({
  ...{ known: client(), outbound: client(), local: undefined },
  ...{ twilio: server, vonage: server, timeoutMs: 5_000 },
})
const plan: PoolPlan<'sms'> = {
  pool: 'sms',
  settings: { concurrency: 8, fetchAhead: 0 },
  tasks: getTasksOfPool('sms'),
  tools: { sms: gateway, seal: createSeal(secret, sealPurpose) },
}
await startFleet(url, [plan as PoolPlan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
