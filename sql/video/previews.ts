import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { AnimatedPreview } from './animated-preview.ts'

/** Stores a requested preview. It replaces the former one. Returns false if the asset does not exist. */
export async function put(tx: Db, orgId: string, assetId: string, preview: AnimatedPreview): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set preview = ${sql.jsonb(preview)}
    where id = ${assetId} and org_id = ${orgId} and status <> 'deleted'`)
  return set.rowCount === 1
}

/** Returns a preview that must still be created, with the served package of its asset. */
export async function findWork(
  db: Db,
  assetId: string,
  previewId: string,
): Promise<{ preview: AnimatedPreview; package_id: string | null } | null> {
  return await db.maybeOne(sql.type(z.object({ preview: AnimatedPreview, package_id: z.string().nullable() }))`
    select preview, package_id from video.assets
    where id = ${assetId} and preview ->> 'id' = ${previewId} and preview ->> 'state' = 'queued'
      and status in ('processing', 'ready')`)
}

/** Ends a preview that was not replaced in the meantime. */
export async function end(
  tx: Db,
  assetId: string,
  previewId: string,
  result: { state: 'ready'; bytes: number } | { state: 'failed' },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets set preview = preview || ${sql.jsonb(result)}
    where id = ${assetId} and preview ->> 'id' = ${previewId} and preview ->> 'state' = 'queued'`)
}

/** Deletes the preview. Returns false if the asset has none. */
export async function remove(tx: Db, orgId: string, assetId: string): Promise<boolean> {
  const removed = await tx.query(sql.typeAlias('void')`
    update video.assets set preview = null
    where id = ${assetId} and org_id = ${orgId} and status <> 'deleted' and preview is not null`)
  return removed.rowCount === 1
}
