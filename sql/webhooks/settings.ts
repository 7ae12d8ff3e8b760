import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable('webhooks', 'settings', z.object({ org_id: Id, keep_events: z.boolean() }))

/** True if events are stored even without a subscriber. Default: false. */
export async function keepsEvents(db: Db, orgId: string): Promise<boolean> {
  const kept = await db.maybeOneFirst(sql.type(table.Row.pick({ keep_events: true }))`
    select keep_events from webhooks.settings where org_id = ${orgId}`)
  return kept ?? false
}

/** Sets whether events are stored without a subscriber. Events that are already stored stay until they expire. */
export async function setKeepsEvents(tx: Db, orgId: string, keep: boolean): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ org_id: orgId, keep_events: keep })}
    on conflict (org_id) do update set keep_events = excluded.keep_events`)
}
