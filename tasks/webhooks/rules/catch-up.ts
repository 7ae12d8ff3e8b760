import type { Db } from '#sql/db.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import * as events from '#sql/webhooks/events.ts'
import { addKeptDeliveries } from './record-events.ts'
import { enqueueEndpoints } from './wake-endpoints.ts'
import { isSubscribed } from './wants.ts'

/** Number of events per statement, so that the statement ends in time. */
const atOnce = 5_000

/**
 * Adds deliveries of stored events that an endpoint has never received, oldest first. Returns the number of deliveries
 * and the start of the next call. Null if no events are left.
 */
export async function deliverMissed(
  tx: Db,
  endpoint: Endpoint,
  since: string,
): Promise<{ replayed: number; next: Date | null }> {
  const { id, org_id } = endpoint
  const read = await events.listMissed(tx, { endpointId: id, orgId: org_id, since, limit: atOnce })
  const missed = read.filter((event) =>
    isSubscribed(endpoint, { orgId: event.org_id, type: event.type, data: event.data }),
  )
  const told = await addKeptDeliveries(
    tx,
    endpoint,
    missed.map((event) => event.id),
  )
  if (told > 0 && endpoint.paused_at === null) await enqueueEndpoints(tx, [endpoint])
  return { replayed: told, next: read.length === atOnce ? (read.at(-1)?.created_at ?? null) : null }
}
