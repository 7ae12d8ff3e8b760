import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Deliveries of each object per day in UTC. `account.usage_daily` keeps the sums. */
export const table = defineTable(
  'files',
  'delivery_days',
  z.object({ object_id: Id, day: z.string(), org_id: Id, requests: z.number(), bytes: z.number() }),
  { retention: calendarDays(7, 'day') },
)

export type DeliveryDay = z.infer<typeof table.Row>

/** Adds deliveries. Deliveries of deleted organisations are ignored. */
export async function add(tx: Db, delivered: readonly DeliveryDay[]): Promise<void> {
  if (delivered.length === 0) return
  await tx.query(sql.typeAlias('void')`
    insert into files.delivery_days as d (object_id, day, org_id, requests, bytes)
    select object_id, day, w.org_id, requests, bytes
    from ${sql.unnest(
      delivered.map(({ object_id, day, org_id, requests, bytes }) => [object_id, day, org_id, requests, bytes]),
      ['uuid', 'date', 'uuid', 'int8', 'int8'],
    )} as w (object_id, day, org_id, requests, bytes)
    join account.orgs as o on o.id = w.org_id
    order by object_id, day
    on conflict (object_id, day) do update
    set requests = d.requests + excluded.requests, bytes = d.bytes + excluded.bytes`)
}
