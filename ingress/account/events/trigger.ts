import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { deliver } from '#tasks/webhooks/deliver.ts'
import { allTypes, type EventType, eventKinds, isEventType } from '#tasks/webhooks/rules/event-types.ts'
import { triggerEvent } from '#tasks/webhooks/rules/trigger.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { parseWithFaults } from '../../http/request/issues.ts'
import { route } from '../../http/route.ts'
import { webhookActor, webhookOwner } from '../webhook-fields.ts'
import { findNear } from './near.ts'

const TriggeredEvent = z
  .object({
    id: Id.describe('The `webhook-id` of its deliveries'),
    type: z.string(),
    timestamp: Instant,
    data: z.record(z.string(), z.unknown()),
    sample: z.literal(true),
    webhooks: z.array(Id).describe('Webhooks that receive the event'),
    streamed: z.boolean().describe('`true` if clients of the event stream receive the event'),
  })
  .meta({ id: 'account.TriggeredEvent' })

export const trigger = route({
  method: 'POST',
  path: '/account/events/trigger',
  summary: 'Send a sample event',
  description:
    'Sends the sample of an event type to the event stream, and to all webhooks whose mode is `test` and that subscribe to the type. With `webhook_id`, sends it to this webhook only. Nothing else changes: no email is sent and no rule runs. The event is not listed.',
  scope: 'account:webhooks',
  testKeys: 'sandbox',
  beyondContract: true,
  limit: { perMinute: 60, by: 'org' },
  bodyLimit: 65_536,
  enqueues: deliver,
  body: z.strictObject({
    type: z.string().min(1).max(100).describe('Event type, such as `email.bounced`'),
    data: z
      .record(z.string().max(100), z.unknown())
      .optional()
      .describe('Fields of the event that differ from the sample'),
    webhook_id: Id.optional().describe('Default: all webhooks whose mode is `test`'),
  }),
  status: 201,
  reply: TriggeredEvent,
  problems: ['not_found'],
  example: { body: { type: 'email.bounced' } },
  async handle({ body: { type: given, data: changed, webhook_id }, org, key, requestId, ip, db }) {
    const type = readType(given)
    const data = readData(type, changed)
    const doer = webhookActor({ org, key, requestId, ip })
    const webhook = webhook_id
      ? await mustFind(endpoints.find(db, webhookOwner({ org, key }), webhook_id), 'webhook')
      : null
    const { id, webhookIds, streamed } = await db.transaction((tx) => triggerEvent(tx, doer, { type, data, webhook }))
    return { id, type, timestamp: new Date(), data, sample: true as const, webhooks: [...webhookIds], streamed }
  },
})

/** Returns the event type. Throws 400 with similar types if it does not exist. */
function readType(given: string): EventType {
  if (isEventType(given)) return given
  const near = findNear(given, allTypes)
  const hint = near.length > 0 ? ` such as ${near.join(' or ')}` : ', listed in the webhooks guide'
  throw badRequest([{ field: 'body.type', issue: `must be an event type${hint}` }])
}

/** Returns the sample with the changed fields. Throws 400 if the result is not an event of this type. */
function readData(type: EventType, changed: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { data, sample } = eventKinds[type]
  const faults: Fault[] = []
  const parsed = parseWithFaults(data, { ...sample, ...changed }, 'body.data', faults)
  if (faults.length > 0) throw badRequest(faults)
  return parsed as Record<string, unknown>
}
