import { z } from 'zod'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { table } from './deliveries.ts'

/** Receipt of a device. Each of the first three implies the previous ones. `dismissed` implies `displayed`. */
export const Event = z.enum(['delivered', 'displayed', 'opened', 'dismissed'])

export type Event = z.infer<typeof Event>

export interface Receipt {
  delivery_id: string
  event: Event
  org_id: string
  /** App for which the receipt is accepted. `null` means any app of the organisation. */
  app_id: string | null
}

/** A delivery with its receipts. `news` are the new receipts. */
export const ReceiptedDelivery = table.Row.pick({
  id: true,
  org_id: true,
  app_id: true,
  message_id: true,
  installation_id: true,
  provider: true,
  platform: true,
  status: true,
  created_at: true,
  delivered_at: true,
  displayed_at: true,
  opened_at: true,
  dismissed_at: true,
}).extend({
  user_id: z.string().nullable(),
  dry_run: z.boolean(),
  /** True if a retry was pending. The receipt makes the retry unnecessary. */
  was_queued: z.boolean(),
  news: z.array(Event.exclude(['dismissed'])),
})

export type ReceiptedDelivery = z.infer<typeof ReceiptedDelivery>

const columns = getColumns(ReceiptedDelivery.omit({ user_id: true, dry_run: true, was_queued: true, news: true }), 'd')

/**
 * Records receipts. Existing receipts are kept. Returns each existing delivery that was sent to a device, once. A
 * leased delivery stays queued, because recording its result reads `delivered_at`.
 */
export async function record(tx: Db, receipts: readonly Receipt[]): Promise<readonly ReceiptedDelivery[]> {
  return await tx.any(sql.type(ReceiptedDelivery)`
    with given as (
      select delivery_id, org_id, app_id, bool_or(event <> 'delivered') as displayed, bool_or(event = 'opened') as opened,
        bool_or(event = 'dismissed') as dismissed
      from json_to_recordset(${JSON.stringify(receipts)}::json) as r (delivery_id uuid, event text, org_id uuid, app_id uuid)
      group by delivery_id, org_id, app_id
    ), locked as (
      select d.id, d.message_id, d.status, d.leased_by, d.delivered_at, d.displayed_at, d.opened_at, d.dismissed_at,
        r.displayed, r.opened, r.dismissed
      from push.deliveries as d cross join lateral (
        select bool_or(g.displayed) as displayed, bool_or(g.opened) as opened, bool_or(g.dismissed) as dismissed
        from given as g
        where g.delivery_id = d.id and g.org_id = d.org_id and (g.app_id is null or g.app_id = d.app_id)
      ) as r
      where d.id = any(array(select delivery_id from given)) and d.status <> 'cancelled' and r.displayed is not null
      order by d.id for update of d
    )
    update push.deliveries as d
    set status = case when l.status = 'queued' and l.leased_by is not null then 'queued' else 'delivered' end,
      reason = case when l.status = 'failed' or l.status = 'expired' then null else d.reason end,
      delivered_at = coalesce(l.delivered_at, now()),
      displayed_at = case when l.displayed then coalesce(l.displayed_at, now()) else l.displayed_at end,
      opened_at = case when l.opened then coalesce(l.opened_at, now()) else l.opened_at end,
      dismissed_at = case when l.dismissed then coalesce(l.dismissed_at, now()) else l.dismissed_at end
    from locked as l join push.messages as m on ${byKey('m.id', 'l.message_id', allOf('message_id', 'locked'))}
    where ${byKey('d.id', 'l.id', allOf('id', 'locked'))}
    returning ${columns}, coalesce(m.user_id, (select u.user_id from push.users as u where u.id = d.push_user_id)) as user_id,
      m.dry_run, l.status = 'queued' and l.leased_by is null as was_queued,
      array_remove(array[
        case when l.delivered_at is null then 'delivered' end,
        case when l.displayed and l.displayed_at is null then 'displayed' end,
        case when l.opened and l.opened_at is null then 'opened' end], null) as news`)
}
