import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { enqueue, enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { deliverDue } from './rules/deliver-due.ts'

/**
 * Delivers due events to an endpoint. A job only starts the work: the deliveries are in the table, and only one job at
 * a time has the lease of an endpoint. A job that finds a lease returns, because the holder checks for due deliveries
 * again after it has released the lease.
 */
export const deliver = task({
  name: 'webhooks/deliver',
  pool: 'webhooks',
  payload: z.object({ endpointId: Id, wakeId: Id }),
  async run({ endpointId, wakeId }, { db, outbound, local, seal, signal }) {
    const target = await deliverDue(
      { endpointId, wakeId, wake: enqueueEndpoints },
      { db, outbound, local, seal, signal },
    )
    if (!target) return
    await endpoints.release(db, endpointId, wakeId)
    // Called after the release is committed. A job that found the lease has committed its deliveries by now.
    await wakeForNext(db, target)
  },
})

export async function enqueueEndpoints(tx: Db, woken: readonly { id: string; org_id: string }[]): Promise<void> {
  const payloads = woken.map(({ id }) => ({ endpointId: id, wakeId: newId() }))
  await enqueueMany(tx, deliver, payloads, (i) => ({ orgId: (woken[i] as { org_id: string }).org_id }))
}

/** Adds one job for the next attempt of an endpoint. This job handles all its deliveries. */
async function wakeForNext(db: Db, { id, org_id }: endpoints.Target): Promise<void> {
  const at = await deliveries.findNextDue(db, id)
  if (!at) return
  await enqueue(db, deliver, { endpointId: id, wakeId: newId() }, { orgId: org_id, key: `webhook:${id}`, at })
}
