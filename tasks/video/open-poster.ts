import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { findOpenGrants } from '#sql/video/playback-sessions.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { openPosterKey, posterKey } from './rules/keys.ts'

/** What `settleOpenPoster` needs. */
interface Means {
  db: DatabasePool
  storage: Storage
  signal?: AbortSignal
}

// Browsers and CDNs may store it but revalidate each time, so that a poster whose asset became private is not shown any more.
const headers = { contentType: 'image/jpeg', cacheControl: 'no-cache' }

/** Creates or deletes an open poster when the process that changed its asset has crashed before it could. */
export const openPoster = task({
  name: 'video/open-poster',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 60_000,
  async run({ assetId }, means) {
    await settleOpenPoster(assetId, means)
  },
})

/** Enqueues the task above in the transaction that changes an asset's visibility. */
export async function enqueueOpenPoster(tx: Db, asset: { id: string; org_id: string }): Promise<void> {
  await enqueue(tx, openPoster, { assetId: asset.id }, { orgId: asset.org_id, key: `open-poster:${asset.id}` })
}

/**
 * Makes the tokenless copy of a poster, or removes it, as the asset's visibility is now. With the object itself gone, links
 * to it stop working at once. Checks again afterwards, as another request may have changed the visibility meanwhile.
 */
export async function settleOpenPoster(assetId: string, { db, storage, signal }: Means): Promise<void> {
  const isOpen = async () => (await findOpenGrants(db, [assetId])).some(({ live, poster }) => live && poster)
  for (let open = await isOpen(); ; open = !open) {
    if (open) await storage.copy(posterKey(assetId), openPosterKey(assetId), { as: headers, signal })
    else await storage.deleteAll(openPosterKey(assetId), signal)
    if ((await isOpen()) === open) return
  }
}
