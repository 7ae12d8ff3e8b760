import { channel } from 'node:diagnostics_channel'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { findRuns, startRuns } from '../../automation/rules/start-rules.ts'
import { type EventData, type EventType, eventTypes, getEventArea } from './event-types.ts'
import { recordEvents } from './record-events.ts'
import { enqueueEndpoints } from './wake-endpoints.ts'
import { isSubscribed, modeOf } from './wants.ts'

/** `data` uses the API’s names and contains no secrets. */
export type EmittedEvent = {
  [Type in EventType]: { orgId: string; type: Type; data: EventData<Type> }
}[EventType]

/** Publishes every event, even without subscribers. */
export const emitted = channel('millrace.webhooks.emitted')

/** Sends an event to the organisation's webhooks and rules if, and only if, the caller's transaction commits. */
export async function emit<Type extends EventType>(
  tx: Db,
  orgId: string,
  type: Type,
  data: EventData<Type>,
): Promise<void> {
  await emitMany(tx, [{ orgId, type, data } as EmittedEvent])
}

/** Sends an event to all endpoints of an area, or of all areas, regardless of their types, and to rules. */
export async function emitToArea<Type extends EventType>(
  tx: Db,
  area: string | null,
  orgId: string,
  type: Type,
  data: EventData<Type>,
): Promise<void> {
  const areas = area === null ? Object.keys(eventTypes) : [area]
  await deliver(tx, [{ orgId, type, data } as EmittedEvent], { areas, wants: () => true })
}

/** Without subscribers, rules, stored events and streams, this costs one query of five indexes and writes nothing. */
export async function emitMany(tx: Db, events: readonly EmittedEvent[]): Promise<void> {
  const areas = new Set(events.flatMap(({ type }) => getEventArea(type) ?? []))
  await deliver(tx, events, { areas: [...areas], wants: isSubscribed })
}

interface Audience {
  /** Areas whose endpoints can receive the events, in addition to endpoints for all areas. */
  areas: readonly string[]
  wants: typeof isSubscribed
}

async function deliver(tx: Db, events: readonly EmittedEvent[], { areas, wants }: Audience): Promise<void> {
  if (events.length === 0) return
  emitted.publish(events)
  const orgIds = new Set(events.map(({ orgId }) => orgId))
  const found = await endpoints.listSubscribed(tx, [...orgIds], areas)
  if (found.length === 0) return
  const {
    endpoint: subscribed = [],
    settings: keeping = [],
    rule: rules = [],
    stream: streams = [],
    log_stream: logStreams = [],
  } = Object.groupBy(found, ({ kind }) => kind)
  const kept = new Set(keeping.map(({ org_id }) => org_id))
  const named = events.map((event) => ({ ...event, id: newId() }))
  const runs = await findRuns(tx, rules, named)
  const started = new Set(runs.map(({ event_id }) => event_id))
  const isKept = (event: (typeof named)[number]) =>
    kept.has(event.orgId) || started.has(event.id) || logStreams.some((stream) => isSubscribed(stream, event))
  const told = named.flatMap((event) => {
    const endpointIds = subscribed.filter((endpoint) => wants(endpoint, event)).map(({ id }) => id)
    const streamed = isStreamed(streams, event)
    const isStored = endpointIds.length > 0 || streamed || isKept(event)
    return isStored ? [{ ...event, endpointIds, streamed }] : []
  })
  if (told.length === 0) return
  const reached = new Set(await recordEvents(tx, told))
  await startRuns(tx, runs)
  await enqueueEndpoints(
    tx,
    subscribed.filter(({ id, paused }) => reached.has(id) && !paused),
  )
}

/** True if clients follow the events of the organisation, or its test events if this is one. */
const isStreamed = (
  streams: readonly endpoints.Subscription[],
  { orgId, data }: { orgId: string; data: object },
): boolean => streams.some(({ org_id, mode }) => org_id === orgId && (mode === null || mode === modeOf(data)))
