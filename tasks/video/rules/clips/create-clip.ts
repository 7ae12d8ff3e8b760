import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import type { ClippedFrom } from '#sql/video/clipped-from.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import { clip } from '../../clip.ts'
import { priorityOf } from '../transcode/plan.ts'

export interface NewClip extends Pick<assets.NewAsset, 'org_id' | 'title' | 'external_ref' | 'profile'> {
  description: string | null
  metadata: Record<string, string>
  visibility: assets.Asset['visibility']
  from: ClippedFrom
  /** Expected size. It counts as used storage until the clip is cut. */
  expectedBytes: number
}

/** Creates the asset of a clip and enqueues its cut. */
export async function createClip(tx: Db, { from, expectedBytes, ...facts }: NewClip): Promise<assets.Asset> {
  const file = { filename: 'clip.mp4', mime_type: 'video/mp4', bytes: 0, watermark: null }
  const clipped_from = { ...from, expectedBytes }
  const asset = await assets.insert(tx, { ...facts, ...file, id: newId(), clipped_from })
  await pipeline.begin(tx, asset.id)
  const priority = priorityOf(from.end - from.start, 'lowest')
  await enqueue(tx, clip, { assetId: asset.id }, { subject: asset.id, orgId: asset.org_id, priority })
  return { ...asset, status: 'processing', stage: 'queued' }
}
