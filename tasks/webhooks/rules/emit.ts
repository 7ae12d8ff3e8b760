import { channel } from 'node:diagnostics_channel'
import type { Db } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { wake } from '../deliver.ts'
import { areaOf, type EventData, type EventType } from './event-types.ts'
import { recordEvents } from './record-events.ts'
import { wants } from './wants.ts'

/** Something that happened to what an organisation owns: what its type says, in the names that the API has for it; no secrets. */
export type EmittedEvent = {
  [Type in EventType]: { orgId: string; type: Type; data: EventData<Type> }
}[EventType]

/** Hears every event that is told of, whether anybody subscribes or not. */
export const emitted = channel('millrace.webhooks.emitted')

/** Tells an organisation's webhooks of an event, if, and only if, the caller's transaction commits. */
export async function emit<Type extends EventType>(
  tx: Db,
  orgId: string,
  type: Type,
  data: EventData<Type>,
): Promise<void> {
  await emitMany(tx, [{ orgId, type, data } as EmittedEvent])
}

/**
 * Tells of many events. Where nobody subscribes and the organisation does not have its events kept, it costs one look at two
 * indexes, and writes nothing.
 */
export async function emitMany(tx: Db, events: readonly EmittedEvent[]): Promise<void> {
  if (events.length === 0) return
  emitted.publish(events)
  const orgIds = new Set(events.map(({ orgId }) => orgId))
  const areas = new Set(events.flatMap(({ type }) => areaOf(type) ?? []))
  const found = await endpoints.listSubscribed(tx, [...orgIds], [...areas])
  if (found.length === 0) return
  const subscribed = found.filter(({ keeps }) => !keeps)
  const kept = new Set(found.filter(({ keeps }) => keeps).map(({ org_id }) => org_id))
  const told = events.flatMap((event) => {
    const endpointIds = subscribed.filter((endpoint) => wants(endpoint, event)).map(({ id }) => id)
    return endpointIds.length > 0 || kept.has(event.orgId) ? [{ ...event, endpointIds }] : []
  })
  if (told.length === 0) return
  const reached = new Set(await recordEvents(tx, told))
  await wake(
    tx,
    subscribed.filter(({ id, paused }) => reached.has(id) && !paused),
  )
}
