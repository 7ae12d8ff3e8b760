import type { Db } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { wake } from '../deliver.ts'
import { areaOf } from './event-types.ts'
import { recordEvents } from './record-events.ts'

/** Something that happened to what an organisation owns. */
export interface EmittedEvent {
  orgId: string
  /** `<area>.<…>`, such as `email.bounced`. */
  type: string
  /** What happened, in the names that the API has for it; no secrets. */
  data: Readonly<Record<string, unknown>>
}

/** Tells an organisation's webhooks of an event, if, and only if, the caller's transaction commits. */
export async function emit(tx: Db, orgId: string, type: string, data: EmittedEvent['data']): Promise<void> {
  await emitMany(tx, [{ orgId, type, data }])
}

/** Tells of many events; where nobody subscribes it costs one look at an index, and writes nothing. */
export async function emitMany(tx: Db, events: readonly EmittedEvent[]): Promise<void> {
  if (events.length === 0) return
  const orgIds = new Set(events.map(({ orgId }) => orgId))
  const areas = new Set(events.map(({ type }) => areaOf(type)))
  const subscribed = await endpoints.listSubscribed(tx, [...orgIds], [...areas])
  if (subscribed.length === 0) return
  const deliverable = events.flatMap((event) => {
    const endpointIds = subscribed.filter((endpoint) => wants(endpoint, event)).map(({ id }) => id)
    return endpointIds.length > 0 ? [{ ...event, endpointIds }] : []
  })
  if (deliverable.length === 0) return
  const reached = new Set(await recordEvents(tx, deliverable))
  await wake(
    tx,
    subscribed.filter(({ id }) => reached.has(id)),
  )
}

const wants = (endpoint: endpoints.Subscription, { orgId, type }: EmittedEvent): boolean =>
  endpoint.org_id === orgId &&
  endpoint.area === areaOf(type) &&
  (endpoint.events.includes('*') || endpoint.events.includes(type))
