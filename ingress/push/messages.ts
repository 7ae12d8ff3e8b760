import { z } from 'zod'
import { conflict, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as rows from '#sql/push/messages.ts'
import { expand } from '#tasks/push/expand.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { ownBudget } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { accept } from './accept.ts'
import { MessageForm } from './message-form.ts'
import { demandApp } from './own-app.ts'

/** The params of what is about one message. */
export const params = z.object({ message_id: pathId('message') })

const Message = z
  .object({
    id: Id,
    app_id: Id,
    target: z.object({ type: z.literal('user'), id: z.string() }),
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
    }),
    priority: z.int(),
    collapse_key: z.string().nullable(),
    dry_run: z.boolean(),
    template: z.object({ id: Id, version: z.int() }).nullable(),
    created_at: Instant,
    send_at: Instant,
    expires_at: Instant.describe('Nothing is tried again after it'),
    ended_at: Instant.nullable().describe('When no delivery was open any more'),
    sandbox: z.literal(true).optional().describe('Of a test key: recorded as on one device, and sent to none'),
  })
  .meta({ id: 'push.Message' })

/** Sends a message to every device of a person. */
export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Send to every device of a person',
  description:
    'Accepted once for each idempotency key, in the header or the body. A payload that a provider would refuse is refused here, with its size. `status`: queued, scheduled, or no_devices when the person has none.',
  scope: 'push:send',
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

/** A message of the organisation; throws 403 for a key of another app. */
export async function ownMessage(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Message> {
  const message = await mustFind(rows.find(db, org.id, id), 'message')
  demandApp({ key }, message.app_id)
  return message
}

/** One message and what became of it. */
export const read = route({
  method: 'GET',
  path: '/messages/{message_id}',
  summary: 'Read a message and what became of it',
  scope: 'push:send',
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
  const { queued = 0, sent = 0, delivered = 0, failed = 0, expired = 0 } = by
  const devices = Object.values(by).reduce((sum, count) => sum + count, 0)
  return {
    ...message,
    target: { type: 'user' as const, id: message.user_id },
    counts: {
      devices,
      queued,
      sent: sent + delivered,
      delivered,
      failed,
      expired,
      ...(await deliveries.receiptsOf(db, message.id)),
    },
    template: message.content.template ?? null,
  }
}

/** Cancels a message that waits for its hour. */
export const cancel = route({
  method: 'DELETE',
  path: '/messages/{message_id}',
  summary: 'Cancel a scheduled message',
  description: '409 once it is being sent.',
  scope: 'push:send',
  params,
  status: 200,
  reply: z.object({ id: Id, status: z.literal('cancelled') }),
  problems: ['not_found', 'conflict'],
  async handle({ params, org, key, db }) {
    if (await testMessage(db, { org, key }, params.message_id))
      throw conflict(
        'The message is sent; only a scheduled one can be cancelled, and a test message waits for nothing.',
      )
    const { id } = await ownMessage(db, { org, key }, params.message_id)
    if (!(await rows.cancel(db, org.id, id))) {
      const { status } = await ownMessage(db, { org, key }, id)
      if (status !== 'cancelled') throw conflict(`The message is ${status}; only a scheduled one can be cancelled.`)
    }
    return { id, status: 'cancelled' as const }
  },
})
