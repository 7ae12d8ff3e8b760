import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Kind } from './channels.ts'

/** Delivery of a message that a channel sent, from the row of the message at WhatsApp or of the email. */
export const Delivery = z.object({
  channel: Kind,
  status: z.enum([
    'queued',
    'sent',
    'delivered',
    'read',
    'failed',
    'unknown',
    'window_closed',
    'opted_out',
    'suppressed',
    'refused',
  ]),
  reason: z.string().nullable(),
  sent_message_id: Id.nullable(),
})

export type Delivery = z.infer<typeof Delivery>

const Found = Delivery.extend({ message_id: Id })

/**
 * Returns the deliveries of messages by their ID. Reads the rows of WhatsApp and email, so that the status is always
 * theirs. If their retention has ended, the status is `unknown`.
 */
export async function findMany(db: Db, messageIds: readonly string[]): Promise<ReadonlyMap<string, Delivery>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db.any(sql.type(Found)`
    select c.message_id, c.transport_id as sent_message_id,
      case when c.contact like '%@%' then 'email' else 'whatsapp' end as channel,
      coalesce(c.reason, w.error ->> 'code', case when e.status in ('bounced', 'failed', 'suppressed') then e.reason end)
        as reason,
      case
        when c.status = 'refused' and c.reason = 'window_closed' then 'window_closed'
        when c.status = 'refused' and c.reason = 'opted_out' then 'opted_out'
        when c.status = 'refused' then 'refused'
        when w.status in ('queued', 'sending') then 'queued'
        when w.status = 'accepted' then 'sent'
        when w.status = 'failed' and w.error ->> 'code' = 'outside_service_window' then 'window_closed'
        when w.status = 'failed' and w.error ->> 'code' = 'recipient_opted_out' then 'opted_out'
        when w.status in ('sent', 'delivered', 'read', 'failed', 'unknown') then w.status
        when e.status in ('queued', 'scheduled', 'deferred') then 'queued'
        when e.status in ('bounced', 'failed', 'cancelled') then 'failed'
        when e.status = 'complained' then 'delivered'
        when e.status in ('sent', 'delivered', 'suppressed') then e.status
        else 'unknown'
      end as status
    from bots.channel_messages as c
    left join whatsapp.messages as w on w.id = c.transport_id and w.org_id = c.org_id
    left join email.messages as e on e.id = c.transport_id and e.org_id = c.org_id
    where c.message_id = any(${sql.array([...messageIds], 'uuid')}) and c.direction = 'outbound'`)
  return new Map(rows.map(({ message_id, ...delivery }) => [message_id, delivery]))
}
