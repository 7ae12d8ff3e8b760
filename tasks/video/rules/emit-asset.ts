import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { emit } from '../../webhooks/rules/emit.ts'

export async function emitAsset(
  tx: Db,
  assetId: string,
  type: `video.asset.${'playable' | 'ready' | 'failed' | 'updated' | 'deleted'}`,
): Promise<void> {
  const asset = await assets.findAny(tx, assetId)
  if (!asset) return
  await emit(tx, asset.org_id, type, {
    id: asset.id,
    title: asset.title,
    description: asset.description,
    metadata: asset.metadata,
    externalRef: asset.external_ref,
    filename: asset.filename,
    status: asset.status,
    failure_code: asset.failure_code,
    failure_summary: asset.failure_summary,
    visibility: asset.visibility,
    durationSeconds: asset.duration_seconds,
    width: asset.width,
    height: asset.height,
  })
}
