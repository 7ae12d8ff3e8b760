import type { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table } from './deliveries.ts'

/** Number of newest deliveries of an app in which the last delivery of a device is searched. */
const searched = 2_000

const LastAnswer = table.Row.pick({
  id: true,
  message_id: true,
  installation_id: true,
  status: true,
  reason: true,
  created_at: true,
})

export type LastAnswer = z.infer<typeof LastAnswer>

/** Returns the last delivery of each device, if it is among the newest deliveries of the app. */
export async function find(
  db: Db,
  appId: string,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, LastAnswer>> {
  if (deviceIds.length === 0) return new Map()
  const rows = await db.any(sql.type(LastAnswer)`
    select distinct on (installation_id) id, message_id, installation_id, status, reason, created_at
    from (select * from push.deliveries where app_id = ${appId} order by id desc limit ${searched}) as newest
    where installation_id = any(${sql.array([...deviceIds], 'uuid')})
    order by installation_id, id desc`)
  return new Map(rows.map((row) => [row.installation_id, row]))
}
