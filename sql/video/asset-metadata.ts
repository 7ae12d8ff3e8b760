import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'asset_metadata',
  z.object({ asset_id: Id, key: z.string(), org_id: Id, value: z.string(), created_at: z.date() }),
)

export async function updateIndex(tx: Db, assetId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from ${table.name} where asset_id = ${assetId}`)
  await tx.query(sql.typeAlias('void')`
    insert into ${table.name} (asset_id, key, org_id, value, created_at)
    select a.id, e.key, a.org_id, e.value, a.created_at
    from video.assets as a cross join jsonb_each_text(a.metadata) as e where a.id = ${assetId}`)
}
