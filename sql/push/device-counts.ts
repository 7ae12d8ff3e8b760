import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { table as installations } from './installations.ts'

const { provider, status } = installations.Row.shape

/** Rows are counted by triggers of `push.installations`, and deleted with their app. */
export const table = defineTable(
  'push',
  'device_counts',
  z.object({
    app_id: Id,
    org_id: Id,
    provider,
    status,
    /** Each database connection uses one slot, so that registrations do not wait for each other. */
    slot: z.number(),
    /** Can be negative. Only the sum of all slots is the number of devices. */
    devices: z.number(),
  }),
)

const Count = z.object({ provider, status, count: z.number() })

export async function count(db: Db, appId: string): Promise<readonly z.infer<typeof Count>[]> {
  return await db.any(sql.type(Count)`
    select provider, status, sum(devices) as count from ${table.name}
    where app_id = ${appId} group by provider, status having sum(devices) > 0`)
}

export async function countActive(db: Db, appIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(z.object({ app_id: Id, count: z.number() }))`
    select app_id, sum(devices) as count from ${table.name}
    where app_id = any(${sql.array([...appIds], 'uuid')}) and status = 'active'
    group by app_id having sum(devices) > 0`)
  return new Map(rows.map(({ app_id, count }) => [app_id, count]))
}
