import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { task } from '../queue/task.ts'
import { attempt } from './rules/attempt.ts'
import { logged } from './rules/record-attempt.ts'
import { recordEvents } from './rules/record-events.ts'

/** Delivers a test event to an endpoint, once, whether it is enabled or not, and answers what came of it. */
export const test = task({
  name: 'webhooks/test',
  pool: 'webhooks',
  payload: z.object({ endpointId: Id, eventId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 30_000,
  async run({ endpointId, eventId }, { db, outbound, seal, signal, own }) {
    const target = await endpoints.findTarget(db, endpointId)
    if (!target) throw new Permanent('The endpoint is gone.')
    const data = { endpoint_id: endpointId, area: target.area, note: 'This is a test; nothing has happened.' }
    const event = { id: eventId, type: 'webhooks.test', occurredAt: new Date(), data }
    const answer = await attempt(target, event, { outbound, seal, signal })
    const delivered = answer.outcome === 'delivered'
    await own(async (tx) => {
      await recordEvents(tx, [{ ...event, orgId: target.org_id, endpointIds: [endpointId] }])
      await deliveries.recordTest(tx, { eventId, endpointId }, { ...logged(answer), delivered })
    })
    return { event_id: eventId, delivered, ...logged(answer) }
  },
})
