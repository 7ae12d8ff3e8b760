import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
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
    if (!isEventType(type)) throw new Permanent('This event type does not exist.')
    const { sample } = eventKinds[type]
    const data = type === 'webhooks.test' ? { ...sample, endpoint_id: endpointId, area: target.area } : sample
    const event = { id: eventId, type, occurredAt: new Date(), data }
    // Always sent, even if the server was not responding before, because the owner wants to test it.
    const outbound = await selectOutbound(target.org_id, { db, outbound: usual, local })
    const answer = await sendEvent(target, event, { outbound, seal, signal, holder: undefined })
    const delivered = answer.outcome === 'delivered'
    await own(async (tx) => {
      await recordEvents(tx, [{ ...event, orgId: target.org_id, endpointIds: [endpointId], sample: true }])
      await deliveries.recordTest(tx, { eventId, endpointId }, { ...toStored(answer), delivered })
    })
    return { event_id: eventId, delivered, ...toLogFields(answer) }
  },
})
