/** A worker process of the pool streams, to be killed. */
import '../support/work-environment.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { openPool } from '#sql/db.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'

const [url = ''] = process.argv.slice(2)
const db = await openPool(url, 4)
const ends = new AsyncDisposableStack()
const plan = await createPoolPlan('streams', { db, storage: undefined as unknown as Storage, ends })
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
