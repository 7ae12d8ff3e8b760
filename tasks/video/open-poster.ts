import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { findOpenGrants } from '#sql/playback/sessions.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { openPosterKey, posterKey } from './rules/keys.ts'

interface Means {
  db: DatabasePool
  storage: Storage
  signal?: AbortSignal
}

// Browsers and CDNs may store the poster but must revalidate it. If an asset becomes private, its poster is then no
// longer shown.
const headers = { contentType: 'image/jpeg', cacheControl: 'no-cache' }

/** Creates or deletes a public poster if the process that changed its asset crashed before it did so. */
export const openPoster = task({
  name: 'video/open-poster',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 60_000,
  async run({ assetId }, means) {
    await updateOpenPoster(assetId, means)
  },
})

export async function enqueueOpenPoster(tx: Db, asset: { id: string; org_id: string }): Promise<void> {
  await enqueue(tx, openPoster, { assetId: asset.id }, { orgId: asset.org_id, key: `open-poster:${asset.id}` })
}

/**
 * Creates or deletes the public copy of a poster, depending on the current visibility. Deleting the object also
 * invalidates its URLs. Checks again afterwards, because another request may have changed the visibility.
 */
export async function updateOpenPoster(assetId: string, { db, storage, signal }: Means): Promise<void> {
  const isOpen = async () => (await findOpenGrants(db, [assetId])).some(({ live, poster }) => live && poster)
  for (let open = await isOpen(); ; open = !open) {
    if (open) await storage.copy(posterKey(assetId), openPosterKey(assetId), { as: headers, signal })
    else await storage.deleteAll(openPosterKey(assetId), signal)
    if ((await isOpen()) === open) return
  }
}
