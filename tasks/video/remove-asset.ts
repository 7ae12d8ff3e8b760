import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as assets from '#sql/video/assets.ts'
import { captionsPrefix } from '#sql/video/captions.ts'
import * as imports from '#sql/video/imports.ts'
import { mp4Prefix } from '#sql/video/mp4s.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { cancel, enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { extrasPrefix, framesPrefix, openPosterKey, posterKey, workPrefix } from './rules/keys.ts'

/** Deletes all objects of a deleted asset. Deletes its row when no job can still run for the asset. */
export const removeAsset = task({
  name: 'video/remove-asset',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId }, { db, storage, signal }) {
    const deleted = await assets.findDeleted(db, assetId)
    if (!deleted) return
    await cancelAll(db, assetId)
    const fetched = await imports.find(db, assetId)
    if (fetched?.storage_upload) await storage.multipart.abort(sourceKey(assetId), fetched.storage_upload)
    for (const prefix of [
      sourceKey(assetId),
      workPrefix(assetId),
      posterKey(assetId),
      captionsPrefix(assetId),
      framesPrefix(assetId),
      extrasPrefix(assetId),
      mp4Prefix(assetId),
      openPosterKey(assetId),
      playlists.assetPrefix(assetId),
    ]) {
      await storage.deleteAll(prefix, signal)
    }
    if (deleted.longAgo) await assets.remove(db, assetId)
  },
})

async function cancelAll(db: DatabasePool, assetId: string): Promise<void> {
  for (const id of await runs.listOpen(db, assetId)) await cancel(db, id)
}

/** Delay of the second deletion in milliseconds. The longest job of an asset takes an hour. */
const againMs = 65 * 60_000

export async function enqueueRemoval(tx: Db, assetId: string, orgId: string): Promise<void> {
  const again = new Date(Date.now() + againMs)
  await enqueue(tx, removeAsset, { assetId }, { orgId, key: `remove:${assetId}` })
  await enqueue(tx, removeAsset, { assetId }, { orgId, key: `remove-again:${assetId}`, at: again })
}
