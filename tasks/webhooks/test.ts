import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { find as findType } from '#sql/hooks/event-types.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import type { MessageColumns } from '#sql/webhooks/events.ts'
import { task } from '../queue/task.ts'
import { sendEvent } from './rules/attempt.ts'
import { selectOutbound } from './rules/endpoint-url.ts'
import { eventKinds, isEventType } from './rules/event-types.ts'
import { toLogFields, toStored } from './rules/record-attempt.ts'
import { recordEvents } from './rules/record-events.ts'

export const test = task({
  name: 'webhooks/test',
  pool: 'webhooks',
  payload: z.object({ endpointId: Id, eventId: Id, type: z.string().default('webhooks.test') }),
  tracked: true,
  attempts: 1,
  timeout: 30_000,
  async run({ endpointId, eventId, type }, { db, outbound: usual, local, seal, signal, own }) {
    const target = await endpoints.findTarget(db, endpointId)
    if (!target) throw new Permanent('The endpoint was deleted.')
    const data = await readSample(db, target, type)
    if (!data) throw new Permanent('This event type does not exist.')
    const event = { id: eventId, type, occurredAt: new Date(), data }
    // Always sent, even if the server was not responding before, because the owner wants to test it.
    const outbound = await selectOutbound(target.org_id, { db, outbound: usual, local })
    const answer = await sendEvent(target, event, { outbound, seal, signal, holder: undefined })
    const delivered = answer.outcome === 'delivered'
    await own(async (tx) => {
      const message = toMessage(target)
      await recordEvents(tx, [{ ...event, orgId: target.org_id, endpointIds: [endpointId], sample: true, message }])
      await deliveries.recordTest(tx, { eventId, endpointId }, { ...toStored(answer), delivered })
    })
    return { event_id: eventId, delivered, ...toLogFields(answer) }
  },
})

/** Returns the data of a test event. Null if the event type does not exist. */
async function readSample(
  db: Db,
  { id, org_id, area, app_id }: endpoints.Target,
  type: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (app_id !== null && type !== 'webhooks.test') {
    const found = await findType(db, org_id, type)
    return found && (found.example ?? {})
  }
  if (!isEventType(type)) return null
  const { sample } = eventKinds[type]
  if (app_id !== null) return { type, note: 'This is a test. Nothing has happened.' }
  return type === 'webhooks.test' ? { ...sample, endpoint_id: id, area } : sample
}

const toMessage = ({ app_id }: endpoints.Target): MessageColumns | undefined =>
  app_id === null
    ? undefined
    : { app_id, ...{ event_id: null, tags: null, channels: null, deliver_at: null, payload_until: null } }
