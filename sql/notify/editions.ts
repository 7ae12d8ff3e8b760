import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Number of changes to the texts of organisations. */
export const table = defineTable('notify', 'editions', z.object({ org_id: Id, number: z.number() }))

/** Increments the number of changes to an organisation’s texts. The row stays locked until the transaction ends. */
export async function advance(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.type(table.Row.pick({ number: true }))`
    insert into notify.editions as e (org_id, number) values (${orgId}, 1)
    on conflict (org_id) do update set number = e.number + 1 returning number`)
}

/** Returns the number of changes to organisations’ texts. 0 for organisations without changes. */
export async function getEditions(db: Db, orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(table.Row)`
    select org_id, number from notify.editions where org_id = any(${sql.array([...new Set(orgIds)], 'uuid')})`)
  return new Map(rows.map(({ org_id, number }) => [org_id, number]))
}
