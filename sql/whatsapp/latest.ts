import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as messages } from './messages.ts'

export const searchedMessages = 2_000

const Latest = messages.Row.pick({
  id: true,
  wa_id: true,
  number_id: true,
  phone: true,
  direction: true,
  type: true,
  status: true,
  error: true,
  created_at: true,
}).extend({
  messages: z.number(),
  last_inbound_at: z.date().nullable(),
})

export type Latest = z.infer<typeof Latest>

export async function conversations(db: Db, orgId: string, limit: number): Promise<readonly Latest[]> {
  return await db.any(sql.type(Latest)`
    select l.id, l.wa_id, l.number_id, l.phone, l.direction, l.type, l.status, l.error, l.created_at, l.messages, c.last_inbound_at
    from (
      select distinct on (wa_id) *, count(*) over (partition by wa_id) as messages
      from (
        select id, org_id, wa_id, number_id, phone, direction, type, status, error, created_at from whatsapp.messages
        where org_id = ${orgId} order by id desc limit ${searchedMessages}) as newest
      order by wa_id, id desc
    ) as l
    left join whatsapp.conversations as c on c.org_id = l.org_id and c.wa_id = l.wa_id
    order by l.id desc limit ${limit}`)
}
