import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as eventTypes from '#sql/hooks/event-types.ts'
import * as rows from '#sql/hooks/messages.ts'
import { type AcceptedMessage, acceptMessages, type MessageRequest } from '#tasks/hooks/rules/accept-messages.ts'
import { deliver } from '#tasks/webhooks/deliver.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { AppPath, EventTypeName, Label, labels } from './fields.ts'
import { demandMatch, Payload } from './payload.ts'
import { demandInUse } from './type-in-use.ts'

/** Maximum number of days until a delayed message is sent. */
const maxDelayDays = 30

const eventIdUsed = problem(409, 'event_id_used', 'The app already has a message with this event_id.')

const params = z.object({ app: AppPath })
const oneMessage = params.extend({ id: pathId('message') })

const DeliverAt = InstantInput.refine(
  (at) => Date.parse(at) < Date.now() + maxDelayDays * 86_400_000,
  `must be in the next ${maxDelayDays} days`,
)

const EventIdField = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 visible ASCII characters')
  .describe('Your own ID of the event. A second message of the app with this ID is rejected.')

export const Message = z
  .object({
    id: Id.describe('ID of the message: the `webhook-id` of all its attempts'),
    event_type: z.string(),
    event_id: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()).nullable().describe('`null` if the payload was deleted'),
    tags: z.array(z.string()),
    channels: z.array(z.string()),
    status: rows.MessageStatus.describe(
      '`pending`: an attempt follows. `delivered`: to all endpoints. `failed`: not to all, and no attempt follows. `unrouted`: to no endpoint.',
    ),
    deliver_at: Instant.nullable().describe('Time of the first attempt. `null`: immediately.'),
    payload_deletes_at: Instant.nullable().describe('Time at which the payload is deleted. `null`: with the message.'),
    created_at: Instant,
  })
  .meta({ id: 'hooks.Message' })

export const present = (row: rows.Message): z.input<typeof Message> => ({
  id: row.id,
  event_type: row.type,
  event_id: row.event_id,
  payload: row.payload_deleted_at === null ? row.data : null,
  tags: row.tags ?? [],
  channels: row.channels ?? [],
  status: row.status,
  deliver_at: row.deliver_at,
  payload_deletes_at: row.payload_until,
  created_at: row.created_at,
})

const MessageForm = z.strictObject({
  event_type: EventTypeName,
  payload: Payload.describe('Body of the webhook: an object of up to 256 KiB'),
  event_id: EventIdField.optional(),
  tags: labels(10).default([]).describe('Your own labels for lists'),
  channels: labels(10)
    .default([])
    .describe('Channels of the message. Endpoints with channels receive only messages with one of them.'),
  deliver_at: DeliverAt.optional(),
  payload_retention_days: z.int().min(1).max(90).optional().describe('Days until the payload is deleted'),
})

export const create = groupedRoute({
  method: 'POST',
  path: '/apps/{app}/messages',
  summary: 'Send a message to an app',
  description:
    'Queues the message for every endpoint of the app that subscribes to its type. The payload is the body of each request, signed by Standard Webhooks.',
  scope: 'hooks:write',
  idempotent: true,
  enqueues: deliver,
  params,
  body: MessageForm,
  example: { body: { event_type: 'invoice.paid', payload: { invoice_id: 'in_1042', amount: 1900 } } },
  status: 202,
  reply: Message,
  problems: ['not_found', eventIdUsed],
  async prepare({ params, body, org, db }) {
    const [app, type] = await Promise.all([
      apps.find(db, org.id, params.app),
      eventTypes.find(db, org.id, body.event_type),
    ])
    if (!app) throw notFound('app')
    await demandMatch(org.id, demandInUse(type), body.payload)
    return { appId: app.id }
  },
  async commit(tx, calls) {
    const accepted = await acceptMessages(tx, calls.map(toRequest))
    return accepted.map(toAnswer)
  },
})

function toRequest({
  org,
  body,
  prepared,
}: {
  org: { id: string }
  body: z.output<typeof MessageForm>
  prepared: { appId: string }
}): MessageRequest {
  const { event_type: type, payload, event_id = null, tags, channels, deliver_at = null } = body
  const payload_days = body.payload_retention_days ?? null
  return {
    org_id: org.id,
    app_id: prepared.appId,
    ...{ type, payload, event_id, tags, channels, deliver_at, payload_days },
  }
}

function toAnswer(accepted: AcceptedMessage) {
  if ('refused' in accepted) return accepted.refused === 'no_app' ? notFound('app') : eventIdUsed(eventIdUsed.when)
  const { id, type, payload, event_id, tags, channels, deliver_at, payload_until, created_at, endpoints } =
    accepted.message
  return {
    ...{ id, event_type: type, event_id, payload, tags, channels, deliver_at, created_at },
    status: endpoints > 0 ? ('pending' as const) : ('unrouted' as const),
    payload_deletes_at: payload_until,
  }
}

export const list = listRoute({
  path: '/apps/{app}/messages',
  summary: 'List messages of an app, newest first',
  description: 'Returns the messages with their payloads and delivery status.',
  scope: 'hooks:read',
  params,
  filters: rows.filters,
  otherParams: ['event_id'],
  query: {
    event_type: EventTypeName.optional(),
    event_id: EventIdField.optional(),
    status: rows.MessageStatus.optional(),
    tag: Label.optional(),
    channel: Label.optional(),
    since: InstantInput.optional().describe('Start of the period'),
    until: InstantInput.optional().describe('End of the period'),
  },
  item: Message,
  problems: ['not_found'],
  async rows({ params, query, org, db }, page) {
    const app = await mustFind(apps.find(db, org.id, params.app), 'app')
    return await rows.list(db, app.id, page, query)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/apps/{app}/messages/{id}',
  summary: 'Read a message',
  description: 'Returns the message with its payload and delivery status.',
  scope: 'hooks:read',
  params: oneMessage,
  status: 200,
  reply: Message,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const app = await mustFind(apps.find(db, org.id, params.app), 'app')
    return present(await mustFind(rows.find(db, app.id, params.id), 'message'))
  },
})

export const deletePayload = route({
  method: 'DELETE',
  path: '/apps/{app}/messages/{id}/payload',
  summary: 'Delete the payload of a message',
  description: 'The message and its attempts stay. Pending attempts do not take place.',
  scope: 'hooks:write',
  params: oneMessage,
  status: 200,
  reply: Message,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const app = await mustFind(apps.find(db, org.id, params.app), 'app')
    if (!(await rows.deletePayload(db, app.id, params.id))) throw notFound('message')
    return present(await mustFind(rows.find(db, app.id, params.id), 'message'))
  },
})
