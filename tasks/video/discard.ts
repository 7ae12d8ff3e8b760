import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { removeByKeys } from '#sql/jobs/queue.ts'
import * as assets from '#sql/video/assets.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { poolSchema } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { extrasPrefix, openPosterKey, posterKey, workPrefix } from './rules/keys.ts'

/**
 * Time in milliseconds for which the upload of a failed asset is kept, so that an operator can retry. Only if the
 * upload did not cause the failure.
 */
const keepSourceMs = 3 * 24 * 60 * 60_000

/** Deletes the intermediate files of a ready asset. Deletes all files of a failed asset. */
export const discard = task({
  name: 'video/discard',
  pool: 'core',
  payload: z.object({
    assetId: Id,
    /** True if a failed asset can no longer be retried. */
    forGood: z.boolean().default(false),
  }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId, forGood }, { db, storage, signal }) {
    const asset = await assets.findAny(db, assetId)
    // If a failed asset is being retried, its files are needed.
    if (asset?.status === 'processing') return
    await storage.deleteAll(workPrefix(assetId), signal)
    if (asset?.status !== 'failed') return
    await storage.deleteAll(posterKey(assetId), signal)
    await storage.deleteAll(openPosterKey(assetId), signal)
    await storage.deleteAll(extrasPrefix(assetId), signal)
    await storage.deleteAll(playlists.assetPrefix(assetId), signal)
    for (const packageId of await playlists.listRetired(db, assetId)) {
      await db.transaction((tx) => playlists.deletePackage(tx, packageId))
    }
    if (!forGood && pipeline.retryableCodes.includes(asset.failure_code ?? '')) return
    if (await pipeline.markSourceDeleted(db, assetId)) await storage.deleteAll(sourceKey(assetId), signal)
  },
})

interface AssetRef {
  id: string
  org_id: string
}

/** Enqueues the deletion. Several calls before it runs create one job. */
export async function enqueueDiscard(db: Db, asset: AssetRef): Promise<void> {
  await enqueue(db, discard, { assetId: asset.id }, { orgId: asset.org_id, key: `discard:${asset.id}` })
}

export async function enqueuePermanentDiscard(db: Db, asset: AssetRef): Promise<void> {
  const waits = { orgId: asset.org_id, key: `discard-for-good:${asset.id}`, at: new Date(Date.now() + keepSourceMs) }
  await enqueue(db, discard, { assetId: asset.id, forGood: true }, waits)
}

/** Cancels queued deletions of a retried asset’s files. Returns false if a deletion is running. */
export async function cancelDiscard(tx: Db, assetId: string): Promise<boolean> {
  const keys = [`discard:${assetId}`, `discard-for-good:${assetId}`]
  return await removeByKeys(tx, poolSchema(discard.pool), keys)
}
