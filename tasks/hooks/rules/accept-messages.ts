import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as endpoints from '#sql/hooks/endpoints.ts'
import * as eventIds from '#sql/hooks/event-ids.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { deliver } from '../../webhooks/deliver.ts'
import { passesFilters } from '../../webhooks/rules/filters.ts'
import { recordEvents } from '../../webhooks/rules/record-events.ts'
import { isMatchingType } from '../../webhooks/rules/wants.ts'

export interface MessageRequest {
  org_id: string
  app_id: string
  type: string
  payload: Readonly<Record<string, unknown>>
  event_id: string | null
  tags: string[]
  channels: string[]
  /** Time of the first attempt. Null: now. */
  deliver_at: string | null
  /** Days after which the payload is deleted. Null: with the message. */
  payload_days: number | null
}

export interface NewMessage extends MessageRequest {
  id: string
  created_at: string
  payload_until: string | null
  /** Number of endpoints that receive the message. */
  endpoints: number
}

export type AcceptedMessage = { message: NewMessage } | { refused: 'no_app' | 'event_id_used' }

/**
 * Accepts messages in the caller's transaction, with their deliveries and jobs. Returns a result for each message in
 * order.
 */
export async function acceptMessages(tx: Db, wanted: readonly MessageRequest[]): Promise<AcceptedMessage[]> {
  const appIds = [...new Set(wanted.map(({ app_id }) => app_id))]
  const held = await apps.hold(tx, appIds)
  const drafts = wanted.map((request) => ({ ...request, id: newId() }))
  const named = drafts.flatMap(({ app_id, org_id, event_id, id }) =>
    event_id === null || !held.has(app_id) ? [] : [{ app_id, org_id, event_id, message_id: id }],
  )
  const unused = await eventIds.insertMany(tx, named)
  const accepted = drafts.filter(
    ({ app_id, event_id, id }) => held.has(app_id) && (event_id === null || unused.has(id)),
  )
  const routed = accepted.length === 0 ? [] : route(accepted, await endpoints.listEnabled(tx, appIds))
  const reached = await recordEvents(tx, routed.map(toEvent))
  await enqueueReached(tx, routed, new Set(reached))
  const messages = new Map(routed.map((message) => [message.id, message]))
  return drafts.map(({ id, app_id }) => {
    const message = messages.get(id)
    if (message) return { message: { ...message, endpoints: message.endpointIds.length } }
    return { refused: held.has(app_id) ? 'event_id_used' : 'no_app' }
  })
}

type Draft = MessageRequest & { id: string }

type Routed = Omit<NewMessage, 'endpoints'> & { endpointIds: string[] }

function route(drafts: readonly Draft[], found: readonly endpoints.Subscription[]): Routed[] {
  const byApp = Map.groupBy(found, ({ app_id }) => app_id)
  const now = Date.now()
  return drafts.map((draft) => ({
    ...draft,
    created_at: new Date(now).toISOString(),
    payload_until: draft.payload_days === null ? null : new Date(now + draft.payload_days * 86_400_000).toISOString(),
    endpointIds: (byApp.get(draft.app_id) ?? []).filter((endpoint) => receives(endpoint, draft)).map(({ id }) => id),
  }))
}

/** True if an endpoint receives a message: its types, channels and filters match. */
export const receives = (
  { events, channels, filters }: Pick<endpoints.Subscription, 'events' | 'channels' | 'filters'>,
  message: { type: string; channels: readonly string[]; payload: unknown },
): boolean =>
  events.some((pattern) => isMatchingType(pattern, message.type)) &&
  (channels === null || message.channels.some((channel) => channels.includes(channel))) &&
  (filters === null || passesFilters(filters, message.payload))

const toEvent = ({ id, org_id: orgId, type, payload: data, endpointIds, ...rest }: Routed) => {
  const { app_id, event_id, deliver_at, payload_until } = rest
  // Only messages with labels are in the index of labels.
  const tags = rest.tags.length > 0 ? rest.tags : null
  const channels = rest.channels.length > 0 ? rest.channels : null
  return {
    id,
    orgId,
    type,
    data,
    endpointIds,
    message: { app_id, event_id, tags, channels, deliver_at, payload_until },
  }
}

/** Adds one job for each endpoint and time. */
async function enqueueReached(tx: Db, routed: readonly Routed[], reached: ReadonlySet<string>): Promise<void> {
  const jobs = new Map<string, { endpointId: string; orgId: string; at: string | null }>()
  for (const { endpointIds, org_id: orgId, deliver_at: at } of routed)
    for (const endpointId of endpointIds)
      if (reached.has(endpointId)) jobs.set(`${endpointId} ${at}`, { endpointId, orgId, at })
  const all = [...jobs.values()]
  if (all.length === 0) return
  await enqueueMany(
    tx,
    deliver,
    all.map(({ endpointId }) => ({ endpointId, wakeId: newId() })),
    (index) => {
      const { orgId, at } = all[index] as (typeof all)[number]
      return { orgId, ...(at !== null && { at: new Date(at) }) }
    },
  )
}
