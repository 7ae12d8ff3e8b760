import { z } from 'zod'
import { conflict, notFound, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { list as listMessages } from '#sql/push/message-list.ts'
import * as rows from '#sql/push/messages.ts'
import { QuietHours, Target } from '#sql/push/targets.ts'
import { expand } from '#tasks/push/expand.ts'
import { cancelMessage } from '#tasks/push/rules/cancel-message.ts'
import { targetOf } from '#tasks/push/rules/target-of.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { ownBudget } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { accept } from './accept.ts'
import { MessageForm } from './message-form.ts'
import { ShownTarget } from './message-targets.ts'
import { demandApp, ownApp } from './own-app.ts'

/** The params of what is about one message. */
export const params = z.object({ message_id: pathId('message') })

const Message = z
  .object({
    id: Id,
    app_id: Id,
    target: ShownTarget,
    status: rows.Status.describe('sent: a device’s provider took it; `counts` says how many'),
    counts: z.object({
      devices: z.int(),
      queued: z.int(),
      sent: z.int().describe('Taken by the provider, with those that were delivered'),
      delivered: z.int().describe('The device said so'),
      displayed: z.int(),
      opened: z.int(),
      failed: z.int(),
      expired: z.int(),
      cancelled: z.int().describe('With the message, or as their devices were not meant any more'),
    }),
    priority: z.int(),
    collapse_key: z.string().nullable(),
    dry_run: z.boolean(),
    rate: z.int().nullable(),
    quiet_hours: QuietHours.nullable(),
    template: z.object({ id: Id, version: z.int() }).nullable(),
    created_at: Instant,
    send_at: Instant,
    expires_at: Instant.describe('Nothing is tried again after it'),
    ended_at: Instant.nullable().describe('When no delivery was open any more'),
    sandbox: z.literal(true).optional().describe('Of a test key: recorded as on one device, and sent to none'),
  })
  .meta({ id: 'push.Message' })

/** A message in a list: its counts are told of it alone. */
const ListedMessage = Message.omit({ counts: true, sandbox: true }).meta({ id: 'push.ListedMessage' })

/** Sends a message to every device of a person, or of many. */
export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Send to every device of a person, or of many',
  description:
    '`target` is one person, up to 1,000 by their ids, who subscribed to a topic, devices by their tags, or everybody. Accepted once for each idempotency key, in the header or the body. A payload that a provider would refuse is refused here, with its size. `status`: queued, scheduled, or no_devices when the person has none.',
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
    const outcomes = await accept(tx, calls)
    return outcomes.map((one) => (one instanceof Problem ? one : { id: one.id, status: one.status }))
  },
})

/** A message of a test key, where there is one of that id; throws 403 for a key of another app. */
async function testMessage(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string) {
  const found = (await findRecord(db, org.id, 'push', id)) as z.output<typeof Message> | null
  if (found) demandApp({ key }, found.app_id)
  return found
}

/** A live message of the organisation; throws 403 for a key of another app, and 404 for a test key. */
export async function ownMessage(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Message> {
  if (key.mode === 'test') throw notFound('message')
  const message = await mustFind(rows.find(db, org.id, id), 'message')
  demandApp({ key }, message.app_id)
  return message
}

/** One message and what became of it. */
export const read = route({
  method: 'GET',
  path: '/messages/{message_id}',
  summary: 'Read a message and what became of it',
  description: 'Returns the message with the number of deliveries in each status.',
  scope: 'push:send',
  testKeys: 'sandbox',
  locks: ['app_id'],
  params,
  status: 200,
  reply: Message,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await testMessage(db, { org, key }, params.message_id)
    return tested ?? (await present(db, await ownMessage(db, { org, key }, params.message_id)))
  },
})

async function present(db: Db, message: rows.Message): Promise<z.input<typeof Message>> {
  const by = await deliveries.countOf(db, message.id)
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
      ...(await deliveries.receiptsOf(db, message.id)),
    },
  }
}

const presentListed = (message: rows.Message): z.input<typeof ListedMessage> => ({
  ...message,
  target: targetOf(message),
  template: message.content.template ?? null,
})

/** Messages, newest first. */
export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  description: 'Returns messages. Filters select an app, a user or a type of target.',
  scope: 'push:send',
  locks: ['app_id'],
  filter: {
    app_id: Id.optional(),
    user_id: z.string().max(256).optional().describe('To this one person'),
    target: Target.exclude(['user']).optional().describe('To many of this kind'),
  },
  item: ListedMessage,
  problems: ['not_found'],
  async rows({ query, org, key, db }, page) {
    const appId = query.app_id ?? key.locks.app_id
    if (appId !== undefined) await ownApp(db, { org, key }, appId)
    const filter = { appId, userId: query.user_id, target: query.target }
    return await listMessages(db, org.id, { ...page, ...filter })
  },
  present: presentListed,
})

/** Cancels a message that waits for its hour, or what is left of one to many. */
export const cancel = route({
  method: 'DELETE',
  path: '/messages/{message_id}',
  summary: 'Cancel a scheduled message, or the rest of one to many',
  description:
    '409 once a message to one person is being sent. Of one to many no device is sent to any more that has not been.',
  scope: 'push:send',
  testKeys: 'sandbox',
  locks: ['app_id'],
  params,
  status: 200,
  reply: z.object({ id: Id, status: z.literal('cancelled') }),
  problems: ['not_found', 'conflict'],
  async handle({ params, org, key, db }) {
    if (await testMessage(db, { org, key }, params.message_id))
      throw conflict(
        'The message has been sent. Only scheduled messages can be cancelled.',
      )
    const { id } = await ownMessage(db, { org, key }, params.message_id)
    if (!(await db.transaction((tx) => cancelMessage(tx, org.id, id)))) {
      const { status, target } = await ownMessage(db, { org, key }, id)
      const may = target === 'user' ? 'only scheduled messages can be cancelled' : 'it has already ended'
      if (status !== 'cancelled') throw conflict(`The message is ${status}; ${may}.`)
    }
    return { id, status: 'cancelled' as const }
  },
})
