import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue } from '../enqueue.ts'
import { task } from '../task.ts'
import { posterKey, workPrefix } from './keys.ts'

/** Removes from storage what an asset at its end does not need: mezzanine and chunks, and all there is of a failed one. */
export const discard = task({
  name: 'video/discard',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId }, { db, storage, signal }) {
    await storage.deleteAll(workPrefix(assetId), signal)
    const asset = await assets.findAny(db, assetId)
    if (asset?.status !== 'failed') return
    await storage.deleteAll(sourceKey(assetId), signal)
    await storage.deleteAll(posterKey(assetId), signal)
    await storage.deleteAll(playlists.assetPrefix(assetId), signal)
    for (const packageId of await playlists.listRetired(db, assetId)) {
      await db.transaction((tx) => playlists.deletePackage(tx, packageId))
    }
  },
})

/** Enqueues the removal, once for all that ask before it begins. */
export async function enqueueDiscard(db: Db, asset: { id: string; org_id: string }): Promise<void> {
  await enqueue(db, discard, { assetId: asset.id }, { orgId: asset.org_id, key: `discard:${asset.id}` })
}
