import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'push',
  'attempts',
  z.object({
    id: Id,
    org_id: Id,
    message_id: Id,
    delivery_id: Id,
    number: z.number(),
    outcome: z.enum(['sent', 'retry', 'invalid_token', 'rejected', 'credential', 'unknown']),
    provider_status: z.number().nullable(),
    reason: z.string().nullable(),
    retry_after_seconds: z.number().nullable(),
    provider_message_id: z.string().nullable(),
    latency_ms: z.number().nullable(),
    error: z.string().nullable(),
    created_at: z.date(),
  }),
)

export type Attempt = z.infer<typeof table.Row>

export async function insertMany(tx: Db, attempts: readonly Omit<Attempt, 'created_at'>[]): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(sql.prepared('push_attempts.insert_many', z.object({}))`${table.insertMany(attempts)}`)
}

export async function listOf(db: Db, messageId: string, deliveryIds: readonly string[]): Promise<readonly Attempt[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from push.attempts
    where message_id = ${messageId} and delivery_id = any(${sql.array([...deliveryIds], 'uuid')})
    order by number, id`)
}
