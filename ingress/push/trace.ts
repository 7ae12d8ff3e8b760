import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/push/attempts.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { Delivery, presentDelivery } from './deliveries.ts'
import { createHoldFinder } from './faults.ts'
import { findOwnMessage, params } from './messages.ts'

const Attempt = z
  .object({
    id: Id,
    number: z.int(),
    outcome: attempts.table.Row.shape.outcome.describe(
      '`unknown`: no response arrived. The device may have received the message.',
    ),
    provider_status: z.int().nullable().describe('HTTP status from the provider'),
    reason: z.string().nullable().describe('Error from the provider'),
    retry_after_seconds: z.number().nullable(),
    provider_message_id: z.string().nullable(),
    latency_ms: z.number().nullable(),
    error: z.string().nullable(),
    at: Instant,
  })
  .meta({ id: 'push.Attempt' })

export const read = listRoute({
  path: '/messages/{message_id}/trace',
  summary: 'Trace the deliveries of a message',
  description: 'Returns each delivery of the message with each attempt and the response of the push provider.',
  scope: 'push:send',
  locks: ['app_id'],
  params,
  item: Delivery.extend({ attempts: z.array(Attempt) }).meta({ id: 'push.TracedDelivery' }),
  problems: ['not_found'],
  async rows({ params, org, key, db }, page) {
    const message = await findOwnMessage(db, { org, key }, params.message_id)
    const found = await deliveries.listForMessage(db, message.id, page)
    const made = await attempts.listOf(
      db,
      message.id,
      found.map(({ id }) => id),
    )
    const by = Map.groupBy(made, ({ delivery_id }) => delivery_id)
    const held = await createHoldFinder(db, message.app_id)
    return found.map((row) => ({
      ...row,
      held: held(row),
      user_id: message.user_id ?? row.user_id,
      made: by.get(row.id) ?? [],
    }))
  },
  present: ({ made, ...row }) => ({
    ...presentDelivery(row),
    attempts: made.map(({ created_at, ...attempt }) => ({ ...attempt, at: created_at })),
  }),
})
