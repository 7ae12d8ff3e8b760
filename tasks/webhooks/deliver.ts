import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { deliverDue } from './rules/deliver-due.ts'
import { deliverSignature } from './rules/wake-endpoints.ts'

/**
 * Delivers due events to an endpoint. A job only starts the work: the deliveries are in the table, and only one job at
 * a time has the lease of an endpoint. A job that finds a lease returns, because the holder checks for due deliveries
 * again after it has released the lease.
 */
export const deliver = task({
  ...deliverSignature,
  async run({ endpointId, wakeId }, { db, outbound, local, seal, signal }) {
    const target = await deliverDue({ endpointId, wakeId }, { db, outbound, local, seal, signal })
    if (!target) return await wakeWithRoom(db, endpointId)
    await endpoints.release(db, endpointId, wakeId)
    // Called after the release is committed. A job that found the lease has committed its deliveries by now.
    await wakeForNext(db, target)
  },
})

/** Adds one job for the next attempt of an endpoint. This job handles all its deliveries. */
async function wakeForNext(db: Db, { id, org_id, rate_limit, app_rate_limit }: endpoints.Target): Promise<void> {
  const at = await deliveries.findNextDue(db, id)
  if (!at) return
  await enqueueNext(db, { id, org_id }, at)
  if (rate_limit !== null || app_rate_limit !== null) wakeOnTime(db, { id, org_id }, at.getTime() - Date.now())
}

/** Delay in milliseconds until an endpoint tries again to get a lease. */
const crowdedMs = 1_000

/** Continues an endpoint later if its app has many leases now. */
async function wakeWithRoom(db: Db, id: string): Promise<void> {
  const crowded = await endpoints.findCrowded(db, id)
  if (!crowded) return
  await enqueueNext(db, crowded, new Date(Date.now() + crowdedMs))
  wakeOnTime(db, crowded, crowdedMs)
}

async function enqueueNext(db: Db, { id, org_id }: { id: string; org_id: string }, at?: Date): Promise<void> {
  const about = { orgId: org_id, key: `webhook:${id}`, ...(at && { at }) }
  await enqueue(db, deliver, { endpointId: id, wakeId: newId() }, about)
}

/** Longest delay in milliseconds for which a timer is more exact than the queue, which looks for due jobs every 2 s. */
const exactMs = 5_000

const timers = new Map<string, NodeJS.Timeout>()

/** Starts the job of a paced endpoint on time. If the process ends first, the queue starts the job. */
function wakeOnTime(db: Db, endpoint: { id: string; org_id: string }, ms: number): void {
  if (ms > exactMs) return
  clearTimeout(timers.get(endpoint.id))
  const timer = setTimeout(() => {
    timers.delete(endpoint.id)
    enqueueNext(db, endpoint).catch((error) => log.debug({ err: describe(error) }, 'a job was not started on time'))
  }, ms)
  timers.set(endpoint.id, timer.unref())
}
