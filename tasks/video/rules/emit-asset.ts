import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Tells webhooks that an asset can be watched, or how its processing has ended, in the names that the API has for it. */
export async function emitAsset(
  tx: Db,
  assetId: string,
  type: 'video.asset.playable' | 'video.asset.ready' | 'video.asset.failed',
): Promise<void> {
  const asset = await assets.findAny(tx, assetId)
  if (!asset) return
  await emit(tx, asset.org_id, type, {
    id: asset.id,
    title: asset.title,
    externalRef: asset.external_ref,
    filename: asset.filename,
    status: asset.status,
    failure_summary: asset.failure_summary,
    visibility: asset.visibility,
    durationSeconds: asset.duration_seconds,
    width: asset.width,
    height: asset.height,
  })
}
