import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** How often the texts of organisations have changed. */
export const table = defineTable('notify', 'editions', z.object({ org_id: Id, number: z.number() }))

/** The number of one more change of an organisation's texts; the row stays locked until the transaction ends. */
export async function advance(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.type(table.Row.pick({ number: true }))`
    insert into notify.editions as e (org_id, number) values (${orgId}, 1)
    on conflict (org_id) do update set number = e.number + 1 returning number`)
}

/** The numbers that organisations' texts stand at: 0 for those that have none. */
export async function of(db: Db, orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(table.Row)`
    select org_id, number from notify.editions where org_id = any(${sql.array([...new Set(orgIds)], 'uuid')})`)
  return new Map(rows.map(({ org_id, number }) => [org_id, number]))
}
