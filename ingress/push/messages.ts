import { z } from 'zod'
import { conflict, notFound, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { filters, list as listMessages } from '#sql/push/message-list.ts'
import * as rows from '#sql/push/messages.ts'
import { QuietHours, Target } from '#sql/push/targets.ts'
import { expand } from '#tasks/push/expand.ts'
import { cancelMessage } from '#tasks/push/rules/cancel-message.ts'
import { presentTarget } from '#tasks/push/rules/target-of.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { ownBudget } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { findOwnApp, requireAppAccess } from './apps/own-app.ts'
import { acceptCalls } from './messages/accept.ts'
import { MessageForm } from './messages/form.ts'
import { ShownTarget } from './messages/targets.ts'

export const params = z.object({ message_id: pathId('message') })

const Message = z
  .object({
    id: Id,
    app_id: Id,
    target: ShownTarget,
    status: rows.Status.describe('`sent`: at least one provider accepted it. `counts` contains the numbers.'),
    counts: z.object({
      devices: z.int(),
      queued: z.int(),
      sent: z.int().describe('Number accepted by the provider, including delivered'),
      delivered: z.int().describe('Number reported as delivered by the device'),
      displayed: z.int(),
      opened: z.int(),
      failed: z.int(),
      expired: z.int(),
      cancelled: z
        .int()
        .describe(
          'Number of deliveries cancelled because the message was cancelled or the device is no longer a recipient',
        ),
    }),
    priority: z.int(),
    collapse_key: z.string().nullable(),
    dry_run: z.boolean(),
    rate: z.int().nullable(),
    quiet_hours: QuietHours.nullable(),
    template: z.object({ id: Id, version: z.int() }).nullable(),
    created_at: Instant,
    send_at: Instant,
    expires_at: Instant.describe('Time after which deliveries are no longer retried'),
    ended_at: Instant.nullable().describe('Time when the last delivery ended'),
    sandbox: z
      .literal(true)
      .optional()
      .describe(
        'True for messages sent with a test key. Millrace records them as if they had one device, and does not send them.',
      ),
  })
  .meta({ id: 'push.Message' })

/** A message in a list. It does not contain counts. */
const ListedMessage = Message.omit({ counts: true, sandbox: true }).meta({ id: 'push.ListedMessage' })

export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Send a message',
  description:
    '`target` is one user, up to 1,000 users, the subscribers of a topic, devices by tags, or all devices. Repeating an idempotency key (header or body) returns the first message. A payload that is too large for a provider is rejected with its size. `status` is `queued`, `scheduled`, or `no_devices` if the user has no devices.',
  tool: {
    name: 'send_push',
    reachesOut: true,
    only: [
      'app_id',
      'target',
      'title',
      'body',
      'data',
      'image',
      'priority',
      'ttl',
      'send_at',
      'dry_run',
      'template_id',
      'variables',
      'idempotency_key',
    ],
  },
  scope: 'push:send',
  testKeys: 'sandbox',
  locks: ['app_id'],
  idempotent: { field: 'idempotency_key' },
  body: MessageForm,
  status: 202,
  reply: z.object({ id: Id, status: rows.Status }).meta({ id: 'push.Accepted' }),
  problems: ['not_found', ownBudget],
  enqueues: expand,
  example: {
    body: {
      app_id: '0198f1c2-7f00-7000-8000-000000000001',
      target: { type: 'user', id: 'user-17' },
      title: 'Shipped',
      body: 'Your order is on its way',
      data: { order: '4711' },
      idempotency_key: 'order-4711-shipped',
    },
  },
  async commit(tx, calls) {
    const outcomes = await acceptCalls(tx, calls)
    return outcomes.map((one) => (one instanceof Problem ? one : { id: one.id, status: one.status }))
  },
})

/**
 * Returns the test message with this ID if the key is a test key and the message exists. Throws 403 if the key is
 * restricted to a different app.
 */
async function testMessage(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string) {
  const found = await findRecord(db, org.id, 'push', id)
  if (!found) return null
  const message = completeReply(Message, found)
  requireAppAccess({ key }, message.app_id)
  return message
}

/**
 * Returns a live message of the organisation. Throws 403 if the key is restricted to a different app, and 404 if it is
 * a test key.
 */
export async function findOwnMessage(
  db: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  id: string,
): Promise<rows.Message> {
  if (key.mode === 'test') throw notFound('message')
  const message = await mustFind(rows.find(db, org.id, id), 'message')
  requireAppAccess({ key }, message.app_id)
  return message
}

export const read = route({
  method: 'GET',
  path: '/messages/{message_id}',
  summary: 'Read a message and its counts',
  description: 'Returns the message with the number of deliveries in each status.',
  tool: { name: 'get_push' },
  scope: 'push:send',
  testKeys: 'sandbox',
  locks: ['app_id'],
  params,
  status: 200,
  reply: Message,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await testMessage(db, { org, key }, params.message_id)
    return tested ?? (await present(db, await findOwnMessage(db, { org, key }, params.message_id)))
  },
})

async function present(db: Db, message: rows.Message): Promise<z.input<typeof Message>> {
  const by = await deliveries.countByStatus(db, message.id)
  const { queued = 0, sent = 0, delivered = 0, failed = 0, expired = 0, cancelled = 0 } = by
  const devices = Object.values(by).reduce((sum, count) => sum + count, 0)
  return {
    ...presentListed(message),
    counts: {
      devices,
      queued,
      sent: sent + delivered,
      delivered,
      failed,
      expired,
      cancelled,
      ...(await deliveries.countReceipts(db, message.id)),
    },
  }
}

const presentListed = (message: rows.Message): z.input<typeof ListedMessage> => ({
  ...message,
  target: presentTarget(message),
  template: message.content.template ?? null,
})

export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  description: 'Returns messages. Filters select an app, a user or a type of target.',
  scope: 'push:send',
  locks: ['app_id'],
  filters,
  query: {
    app_id: Id.optional(),
    user_id: z.string().max(256).optional().describe('Only messages to this user'),
    target: Target.exclude(['user']).optional().describe('Only messages with this type of target'),
  },
  item: ListedMessage,
  problems: ['not_found'],
  async rows({ query, org, key, db }, page) {
    const appId = query.app_id ?? key.locks.app_id
    if (appId !== undefined) await findOwnApp(db, { org, key }, appId)
    return await listMessages(db, org.id, { ...page, onlyApp: key.locks.app_id })
  },
  present: presentListed,
})

export const cancel = route({
  method: 'DELETE',
  path: '/messages/{message_id}',
  summary: 'Cancel a message',
  description:
    'Cancels a scheduled message, or the unsent deliveries of a message to many recipients. Returns `409` if a message to one user is already being sent.',
  scope: 'push:send',
  testKeys: 'sandbox',
  locks: ['app_id'],
  params,
  status: 200,
  reply: z.object({ id: Id, status: z.literal('cancelled') }),
  problems: ['not_found', 'conflict'],
  async handle({ params, org, key, db }) {
    if (await testMessage(db, { org, key }, params.message_id))
      throw conflict('The message has been sent. Only scheduled messages can be cancelled.')
    const { id } = await findOwnMessage(db, { org, key }, params.message_id)
    if (!(await db.transaction((tx) => cancelMessage(tx, org.id, id)))) {
      const { status, target } = await findOwnMessage(db, { org, key }, id)
      const may = target === 'user' ? 'only scheduled messages can be cancelled' : 'it has already ended'
      if (status !== 'cancelled') throw conflict(`The message is ${status}; ${may}.`)
    }
    return { id, status: 'cancelled' as const }
  },
})
