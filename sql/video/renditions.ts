import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/** A rendition of the package that is served. */
export const Rendition = z.object({
  name: z.string(),
  width: z.number(),
  height: z.number(),
  frames: z.number(),
  bytes: z.number(),
  peak_bit_rate: z.number(),
  mean_bit_rate: z.number(),
  codec: z.string(),
})

/** The parsed row. */
export type Rendition = z.infer<typeof Rendition>

/** Records the renditions of a package. */
export async function insertMany(
  tx: Db,
  assetId: string,
  packageId: string,
  renditions: (Rendition & { segments: number })[],
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into video.renditions
      (asset_id, package_id, name, width, height, frames, segments, bytes, peak_bit_rate, mean_bit_rate, codec)
    select ${assetId}, ${packageId}, name, width, height, frames, segments, bytes, peak_bit_rate, mean_bit_rate, codec
    from json_to_recordset(${JSON.stringify(renditions)}::json) as (name text, width integer, height integer, frames integer,
      segments integer, bytes bigint, peak_bit_rate integer, mean_bit_rate integer, codec text)`)
}

/** The renditions that each of some assets is served in, largest first. */
export async function listServed(db: Db, assetId: string): Promise<readonly Rendition[]> {
  return await db.any(sql.type(Rendition)`
    select name, r.width, r.height, frames, r.bytes, peak_bit_rate, mean_bit_rate, codec
    from video.renditions as r join video.assets as a on a.id = r.asset_id and a.package_id = r.package_id
    where r.asset_id = ${assetId} order by r.width * r.height desc, name`)
}
