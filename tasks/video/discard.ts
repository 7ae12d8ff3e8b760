import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { cancel, enqueue } from '../enqueue.ts'
import { task } from '../task.ts'
import { posterKey, workPrefix } from './keys.ts'

/** Removes from storage what an asset at its end does not need: mezzanine and chunks, and all there is of a failed or deleted one. */
export const discard = task({
  name: 'video/discard',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId }, { db, storage, signal }) {
    await storage.deleteAll(workPrefix(assetId), signal)
    const gone = await assets.findGone(db, assetId)
    if (!gone) return
    await cancelAll(db, assetId)
    await storage.deleteAll(sourceKey(assetId), signal)
    await storage.deleteAll(posterKey(assetId), signal)
    await storage.deleteAll(playlists.assetPrefix(assetId), signal)
    for (const packageId of await playlists.listRetired(db, assetId)) {
      await db.transaction((tx) => playlists.deletePackage(tx, packageId))
    }
    if (gone.final) await assets.remove(db, assetId)
  },
})

/** Jobs that are still at an asset that is gone end now rather than in vain. */
async function cancelAll(db: DatabasePool, assetId: string): Promise<void> {
  for (const id of await runs.listOpen(db, assetId)) await cancel(db, id)
}

/** Enqueues the removal, once for all that ask before it begins. */
export async function enqueueDiscard(db: Db, assetId: string): Promise<void> {
  await enqueue(db, discard, { assetId }, { key: `discard:${assetId}` })
}

/** How long after its deletion an asset is looked at once more: no job of it can be running any more, and its row may go. */
const finalMs = 65 * 60_000

/** Enqueues the removal of a deleted asset: now, and once more for what a job that was at it stored meanwhile. */
export async function enqueueRemoval(tx: Db, assetId: string): Promise<void> {
  await enqueueDiscard(tx, assetId)
  await enqueue(tx, discard, { assetId }, { key: `remove:${assetId}`, at: new Date(Date.now() + finalMs) })
}
