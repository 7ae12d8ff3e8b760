import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { findOpenGrants } from '#sql/video/playback-sessions.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { openPosterKey, posterKey } from './keys.ts'

/** What settling a poster takes. */
interface Means {
  db: DatabasePool
  storage: Storage
  signal?: AbortSignal
}

// A browser or CDN may keep it, and asks whether it is still there each time: what is narrowed is shown no more.
const headers = { contentType: 'image/jpeg', cacheControl: 'no-cache' }

/** Settles an open poster when the process that changed its asset did not come to it. */
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

/** Has an open poster settled later, too, whatever becomes of this process. */
export async function enqueueOpenPoster(tx: Db, asset: { id: string; org_id: string }): Promise<void> {
  await enqueue(tx, openPoster, { assetId: asset.id }, { orgId: asset.org_id, key: `open-poster:${asset.id}` })
}

/**
 * Makes the tokenless copy of a poster, or removes it, as the asset's visibility is now. With the object itself gone, links
 * to it that were handed out before end at once. Looks again afterwards, as another request may have changed it meanwhile.
 */
export async function settleOpenPoster(assetId: string, { db, storage, signal }: Means): Promise<void> {
  const isOpen = async () => (await findOpenGrants(db, [assetId])).some(({ live, poster }) => live && poster)
  for (let open = await isOpen(); ; open = !open) {
    if (open) await storage.copy(posterKey(assetId), openPosterKey(assetId), { as: headers, signal })
    else await storage.deleteAll(openPosterKey(assetId), signal)
    if ((await isOpen()) === open) return
  }
}
