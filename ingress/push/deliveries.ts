import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/push/deliveries.ts'
import { Provider } from '#sql/push/installations.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { pathId } from '../http/request/validate.ts'
import { findOwnApp } from './apps/own-app.ts'
import { CredentialHold, createHoldFinder } from './faults.ts'

export const Delivery = z
  .object({
    id: Id,
    message_id: Id,
    user_id: z.string().nullable().describe('`null` for an anonymous device'),
    installation_id: Id,
    provider: Provider,
    environment: z.enum(['production', 'sandbox']),
    platform: z.string().nullable(),
    status: rows.Status.describe('`sent`: the provider accepted it. `delivered`: the device reported a receipt.'),
    reason: z.string().nullable().describe('Reason why the delivery was not sent, or result of the last attempt'),
    attempt_count: z.int(),
    next_attempt_at: Instant.nullable(),
    held: CredentialHold,
    created_at: Instant,
    sent_at: Instant.nullable(),
    delivered_at: Instant.nullable(),
    displayed_at: Instant.nullable(),
    opened_at: Instant.nullable(),
    dismissed_at: Instant.nullable(),
  })
  .meta({ id: 'push.Delivery' })

export const presentDelivery = (
  row: rows.DeliveryView & { held: z.input<typeof CredentialHold> },
): z.input<typeof Delivery> => ({
  ...row,
  attempt_count: row.attempts,
  next_attempt_at: row.status === 'queued' && row.leased_by === null ? (row.held?.until ?? row.due_at) : null,
})

export const list = listRoute({
  path: '/apps/{app_id}/deliveries',
  summary: 'List recent deliveries, newest first',
  description: 'Returns deliveries to single devices. Filters select a status or a provider.',
  scope: 'push:manage',
  locks: ['app_id'],
  params: z.object({ app_id: pathId('app') }),
  filters: rows.filters,
  query: { status: rows.Status.optional(), provider: Provider.optional() },
  item: Delivery,
  problems: ['not_found'],
  async rows({ params, org, key, db }, page) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const held = await createHoldFinder(db, app.id)
    const found = await rows.list(db, app.id, page)
    return found.map((row) => ({ ...row, held: held(row) }))
  },
  present: presentDelivery,
})
