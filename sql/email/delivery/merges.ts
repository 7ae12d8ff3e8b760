import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

/** Values of campaign placeholders per message. They have the same retention as the content. */
export const table = defineTable(
  'email',
  'merges',
  z.object({ message_id: Id, org_id: Id, fields: z.record(z.string(), z.string()), created_at: z.date() }),
  {
    retention: days('EMAIL_CONTENT_DAYS', 'created_at', {
      which: 'without pending messages',
      where: sql.fragment`not exists (select from email.deliveries as d where d.message_id = old.message_id)`,
      batch: 1_000,
    }),
  },
)

export type Merge = z.infer<typeof table.Row>

export async function insertMany(tx: Db, merges: readonly Omit<Merge, 'created_at'>[]): Promise<void> {
  if (merges.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(merges)}`)
}

export async function findMany(db: Db, messageIds: readonly string[]): Promise<readonly Merge[]> {
  if (messageIds.length === 0) return []
  return await db.any(sql.prepared('email.merges', table.Row)`
    select ${table.columns()} from email.merges where message_id = any(${sql.array([...messageIds], 'uuid')})`)
}
