import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as streams from '#sql/webhooks/event-streams.ts'
import * as events from '#sql/webhooks/events.ts'
import { modeOf } from './wants.ts'

export interface EventToDeliver {
  id?: string
  orgId: string
  type: string
  data: Readonly<Record<string, unknown>>
  endpointIds: readonly string[]
  /** True for a test event. */
  sample?: boolean
  /** True if clients of the event stream receive the event. */
  streamed?: boolean
  /** Columns of a message to a customer of the organisation. */
  message?: events.MessageColumns | undefined
}

const ownEvent: events.MessageColumns = {
  ...{ app_id: null, event_id: null, tags: null, channels: null, deliver_at: null, payload_until: null },
}

/** Stores events and their deliveries. Returns the endpoint of each delivery. */
export async function recordEvents(tx: Db, told: readonly EventToDeliver[]): Promise<readonly string[]> {
  const created_at = new Date().toISOString()
  const rows = told.map(
    ({ id = newId(), orgId, type, data, endpointIds, sample = false, streamed = false, message }) => ({
      streamed,
      event: { id, org_id: orgId, type, data, sample, created_at, ...(message ?? ownEvent) },
      endpointIds,
    }),
  )
  await events.insertMany(
    tx,
    rows.map(({ event }) => event),
  )
  await streams.add(
    tx,
    rows
      .filter(({ streamed }) => streamed)
      .map(({ event: { id, org_id, data, sample } }) => ({
        event_id: id,
        org_id,
        test: sample || modeOf(data) === 'test',
      })),
  )
  const wanted = rows.flatMap(({ event, endpointIds }) =>
    endpointIds.map((endpoint_id) => ({
      id: newId(),
      org_id: event.org_id,
      event_id: event.id,
      endpoint_id,
      due_at: event.deliver_at,
    })),
  )
  return wanted.length === 0 ? [] : await deliveries.insertMany(tx, wanted)
}

/** Adds deliveries of stored events to one endpoint. Returns the number of new deliveries. */
export async function addKeptDeliveries(
  tx: Db,
  { id, org_id }: { id: string; org_id: string },
  eventIds: readonly string[],
): Promise<number> {
  if (eventIds.length === 0) return 0
  const rows = eventIds.map((event_id) => ({ id: newId(), org_id, event_id, endpoint_id: id }))
  return (await deliveries.insertMany(tx, rows)).length
}
