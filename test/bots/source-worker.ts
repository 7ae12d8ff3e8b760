/** A worker process that the test kills during a fetch. */
import { Storage } from '#lib/storage/storage.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { storeKeys } from '../support/video-stack.ts'
import { webPlan } from './knowledge-stack.ts'

const [url = '', store = ''] = process.argv.slice(2)
const storage = new Storage({ endpoint: store, publicEndpoint: store, ...storeKeys })
await startFleet(url, [webPlan(storage).plan as PoolPlan], { lease: 60_000, sweep: 200, grace: 1_000 }, () =>
  process.exit(1),
)
console.log('ready')
