import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as events from '#sql/webhooks/events.ts'

/** An event, and the endpoints that are to be told of it. */
export interface EventToDeliver {
  id?: string
  orgId: string
  type: string
  data: Readonly<Record<string, unknown>>
  endpointIds: readonly string[]
}

/** Records events and one delivery of each to each of its endpoints; answers the endpoint of each delivery. */
export async function recordEvents(tx: Db, told: readonly EventToDeliver[]): Promise<readonly string[]> {
  const created_at = new Date().toISOString()
  const rows = told.map(({ id = newId(), orgId, type, data, endpointIds }) => ({
    event: { id, org_id: orgId, type, data, created_at },
    endpointIds,
  }))
  await events.insertMany(
    tx,
    rows.map(({ event }) => event),
  )
  const wanted = rows.flatMap(({ event, endpointIds }) =>
    endpointIds.map((endpoint_id) => ({ id: newId(), org_id: event.org_id, event_id: event.id, endpoint_id })),
  )
  return await deliveries.insertMany(tx, wanted)
}
