import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

/** Recipients of deleted marketing messages. `messages.prune` adds the rows. */
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
    topic: z.string().nullable(),
  }),
  { retention: days({ setting: 'EMAIL_MESSAGE_DAYS', atLeast: 400 }, 'created_at') },
)

export async function find(db: Db, messageId: string): Promise<z.infer<typeof table.Row> | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.past_recipients where message_id = ${messageId}`)
}
