import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { isFollowed } from '#sql/webhooks/event-streams.ts'
import { readAuthority } from '../../account/rules/authority.ts'
import { toAct } from '../../account/rules/doer.ts'
import { type EventType, getEventArea } from './event-types.ts'
import type { Doer } from './manage.ts'
import { recordEvents } from './record-events.ts'
import { enqueueEndpoints } from './wake-endpoints.ts'
import { isSubscribed } from './wants.ts'

export interface TriggeredEvent {
  id: string
  webhookIds: readonly string[]
  /** True if clients follow the event stream, or followed it in the last 24 hours. */
  streamed: boolean
}

/**
 * Sends a sample event to the event stream, and to one webhook or to all webhooks for test events that subscribe to its
 * type.
 */
export async function triggerEvent(
  tx: Db,
  doer: Doer,
  {
    type,
    data,
    webhook,
  }: { type: EventType; data: Readonly<Record<string, unknown>>; webhook: endpoints.Endpoint | null },
): Promise<TriggeredEvent> {
  await readAuthority(tx, doer, 'webhooks:write')
  const { orgId } = doer
  const reached = webhook ? [toReached(webhook)] : await listTestWebhooks(tx, orgId, type)
  const endpointIds = reached.map(({ id }) => id)
  const [id, streamed] = [newId(), await isFollowed(tx, orgId)]
  await recordEvents(tx, [{ id, orgId, type, data, endpointIds, sample: true, streamed }])
  await enqueueEndpoints(
    tx,
    reached.filter(({ paused }) => !paused),
  )
  await audit.append(tx, { ...toAct(doer), action: 'event.triggered', target: id, after: { type } })
  return { id, webhookIds: endpointIds, streamed }
}

interface Reached {
  id: string
  org_id: string
  paused: boolean
}

const toReached = ({ id, org_id, paused_at }: endpoints.Endpoint): Reached => ({
  id,
  org_id,
  paused: paused_at !== null,
})

async function listTestWebhooks(tx: Db, orgId: string, type: EventType): Promise<readonly Reached[]> {
  const area = getEventArea(type)
  const found = await endpoints.listSubscribed(tx, [orgId], area ? [area] : [])
  const sample = { orgId, type, data: { sandbox: true } }
  return found.filter((one) => one.kind === 'endpoint' && one.mode === 'test' && isSubscribed(one, sample))
}
