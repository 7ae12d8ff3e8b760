import type { Db } from '#sql/db.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { markRecordingPlayable } from '../../../live/rules/broadcasts.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import type { Ending } from '../../../queue/task.ts'
import { discardPackage } from '../../discard-package.ts'
import { emitAsset } from '../emit-asset.ts'

/**
 * Serves the first package until all renditions are ready. Discards the package if the renditions were ready earlier or
 * the asset has failed.
 */
export async function serveFirstPackage(
  tx: Db,
  made: { assetId: string; packageId: string },
  record: (tx: Db) => Promise<void>,
): Promise<void> {
  if (await pipeline.markPlayable(tx, made.assetId, made.packageId)) {
    await record(tx)
    await emitAsset(tx, made.assetId, 'video.asset.playable')
    return await markRecordingPlayable(tx, made.assetId)
  }
  await enqueue(tx, discardPackage, made)
}

export async function discardFirstPackage(
  { assetId }: { assetId: string },
  _: Error,
  { db, runId }: Ending,
): Promise<void> {
  if (runId) await enqueue(db, discardPackage, { assetId, packageId: runId })
}
