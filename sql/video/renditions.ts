import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'video',
  'renditions',
  z.object({
    asset_id: Id,
    package_id: Id,
    name: z.string(),
    width: z.number(),
    height: z.number(),
    frames: z.number(),
    segments: z.number(),
    bytes: z.number(),
    peak_bit_rate: z.number(),
    mean_bit_rate: z.number(),
    codec: z.string(),
  }),
)

export const Rendition = table.Row.omit({ asset_id: true, package_id: true, segments: true })

export type Rendition = z.infer<typeof Rendition>

export async function insertMany(
  tx: Db,
  assetId: string,
  packageId: string,
  renditions: (Rendition & { segments: number })[],
): Promise<void> {
  const rows = renditions.map((rendition) => ({ asset_id: assetId, package_id: packageId, ...rendition }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

export async function listServed(db: Db, assetId: string): Promise<readonly Rendition[]> {
  return await db.any(sql.type(Rendition)`
    select ${getColumns(Rendition, 'r')}
    from video.renditions as r join video.assets as a on a.id = r.asset_id and a.package_id = r.package_id
    where r.asset_id = ${assetId} order by r.width * r.height desc, name`)
}
