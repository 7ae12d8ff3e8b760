import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/** Shows an own image as the poster. Returns false if the asset has failed or was deleted. */
export async function set(tx: Db, assetId: string, posterId: string): Promise<boolean> {
  const changed = await tx.query(sql.typeAlias('void')`
    update video.assets set own_poster = ${posterId}, poster = true,
      only_own_poster = case when own_poster is null then not poster else only_own_poster end
    where id = ${assetId} and status in ('processing', 'ready')`)
  return changed.rowCount === 1
}

/** Shows the automatic poster again, if it exists. Returns false if the asset has no own poster. */
export async function clear(tx: Db, orgId: string, assetId: string): Promise<boolean> {
  const cleared = await tx.query(sql.typeAlias('void')`
    update video.assets set own_poster = null, poster = not only_own_poster, only_own_poster = false
    where id = ${assetId} and org_id = ${orgId} and status <> 'deleted' and own_poster is not null`)
  return cleared.rowCount === 1
}

/** Returns the IDs of the images that an asset uses now. */
export async function listUsed(db: Db, assetId: string): Promise<ReadonlySet<string>> {
  const used = await db.maybeOne(sql.type(z.object({ poster: z.string().nullable(), preview: z.string().nullable() }))`
    select own_poster::text as poster, preview ->> 'id' as preview from video.assets
    where id = ${assetId} and status <> 'deleted'`)
  return new Set([used?.poster, used?.preview].flatMap((id) => id ?? []))
}
