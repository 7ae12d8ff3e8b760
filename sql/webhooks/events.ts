import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** What endpoints are told of. */
export const table = defineTable(
  'webhooks',
  'events',
  z.object({
    id: Id,
    org_id: Id,
    type: z.string(),
    data: z.record(z.string(), z.unknown()),
    created_at: z.date(),
  }),
)

export type Event = z.infer<typeof table.Row>

/** Records events; one that was recorded before stays as it is. */
export async function insertMany(
  tx: Db,
  events: readonly (Omit<Event, 'created_at'> & { created_at: string })[],
): Promise<void> {
  if (events.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(events)} on conflict (id) do nothing`)
}

/** Forgets events, with their deliveries, after `days` days, but for those that an endpoint still waits for; how many. */
export async function prune(db: Db, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from webhooks.events where id in (
      select id from webhooks.events as e
      where created_at < now() - ${days} * interval '1 day'
        and not exists (
          select 1 from webhooks.deliveries as d join webhooks.endpoints as p on p.id = d.endpoint_id
          where d.event_id = e.id and d.status = 'pending' and p.status = 'enabled')
      order by created_at limit ${limit})`)
  return rowCount
}
