import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
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
  {
    retention: days('WEBHOOK_LOG_DAYS', 'created_at', {
      which: 'that no endpoint waits for',
      where: sql.fragment`not exists (
      select from webhooks.deliveries as d join webhooks.endpoints as p on p.id = d.endpoint_id
      where d.event_id = old.id and d.status = 'pending' and p.status = 'enabled')`,
    }),
  },
)

export type Event = z.infer<typeof table.Row>

/** Records events; one that was recorded before stays as it is. */
export async function insertMany(
  tx: Db,
  events: readonly (Omit<Event, 'created_at'> & { created_at: string })[],
): Promise<void> {
  if (events.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(events)} on conflict (id) do nothing`)
}
