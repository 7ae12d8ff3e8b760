import type { Db } from '#sql/db.ts'
import * as daily from '#sql/push/daily.ts'
import * as messages from '#sql/push/messages.ts'
import * as receipts from '#sql/push/receipts.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

/**
 * Records receipts, counts new receipts and sends webhooks. Returns the existing deliveries. Rows are locked in the
 * same order as in recordResults: deliveries, messages, counts.
 */
export async function recordReceipts(
  tx: Db,
  given: readonly receipts.Receipt[],
): Promise<readonly receipts.ReceiptedDelivery[]> {
  if (given.length === 0) return []
  const received = await receipts.record(tx, given)
  const ended = received.flatMap(({ message_id, was_queued }) => (was_queued ? [message_id] : []))
  await messages.endMany(tx, [...new Set(ended)])
  const news = received.flatMap((row) => (row.dry_run ? [] : row.news.map((event) => ({ row, event }))))
  await daily.count(
    tx,
    news.map(({ row: { org_id, app_id, created_at, provider, platform }, event }) => ({
      org_id,
      app_id,
      created_at,
      provider,
      platform,
      status: event,
    })),
  )
  await emitMany(
    tx,
    news.flatMap(({ row, event }) => (event === 'displayed' ? [] : [receiptEvent(row, event)])),
  )
  return received
}

function receiptEvent(row: receipts.ReceiptedDelivery, event: 'delivered' | 'opened'): EmittedEvent {
  const { id, message_id, app_id, user_id, installation_id, provider, org_id } = row
  const at = {
    delivered_at: row.delivered_at?.toISOString(),
    ...(row.opened_at && { opened_at: row.opened_at.toISOString() }),
  }
  const data = { message_id, delivery_id: id, app_id, user_id, installation_id, provider, ...at }
  return { orgId: org_id, type: `push.${event}`, data }
}
