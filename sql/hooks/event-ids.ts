import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'hooks',
  'event_ids',
  z.object({ app_id: Id, event_id: z.string(), org_id: Id, message_id: Id, created_at: z.date() }),
  { retention: days('WEBHOOK_LOG_DAYS', 'created_at') },
)

type NewEventId = Omit<z.infer<typeof table.Row>, 'created_at'>

/** Stores the IDs that are not in use. Returns the messages whose ID was stored. */
export async function insertMany(tx: Db, ids: readonly NewEventId[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const sorted = ids.toSorted((a, b) => (a.app_id + a.event_id < b.app_id + b.event_id ? -1 : 1))
  return new Set(
    await tx.anyFirst(sql.type(z.object({ message_id: Id }))`
      ${table.insertMany(sorted)} on conflict (app_id, event_id) do nothing returning message_id`),
  )
}

/** Deletes up to `limit` IDs of an app. Returns their number. */
export async function deleteOfApp(db: Db, appId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from hooks.event_ids where app_id = ${appId} and event_id = any(array(
      select event_id from hooks.event_ids where app_id = ${appId} order by event_id limit ${limit}))`)
  return rowCount
}
