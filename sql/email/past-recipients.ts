import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Whom messages of marketing were to that are kept no more; `messages.prune` fills it. */
export const table = defineTable(
  'email',
  'past_recipients',
  z.object({
    message_id: Id,
    org_id: Id,
    to_email: z.string(),
    from_email: z.string(),
    from_name: z.string().nullable(),
    created_at: z.date(),
  }),
)

/** Whom a message of any organisation was to; null when that is not known any more either. */
export async function find(db: Db, messageId: string): Promise<z.infer<typeof table.Row> | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.past_recipients where message_id = ${messageId}`)
}

/** Forgets at most `limit` of messages that are older than `days`; returns how many. */
export async function prune(db: Db, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from email.past_recipients where message_id in (
      select message_id from email.past_recipients where created_at < now() - make_interval(days => ${days})
      order by created_at limit ${limit} for update skip locked)`)
  return rowCount
}
