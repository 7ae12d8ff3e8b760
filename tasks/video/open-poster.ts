import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { findOpenGrants } from '#sql/playback/sessions.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { openPosterKey, shownPosterKey } from './rules/keys.ts'

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
 * Creates, replaces or deletes the public copy of a poster, depending on the current visibility. Deleting the object
 * also invalidates its URLs. Checks again afterwards, because another request may have changed the visibility or the
 * poster.
 */
export async function updateOpenPoster(assetId: string, { db, storage, signal }: Means): Promise<void> {
  const findKey = async () => {
    const open = (await findOpenGrants(db, [assetId])).find(({ live, poster }) => live && poster)
    return open && shownPosterKey({ id: assetId, own_poster: open.own_poster })
  }
  for (let key = await findKey(); ; ) {
    if (key) await storage.copy(key, openPosterKey(assetId), { as: headers, signal })
    else await storage.deleteAll(openPosterKey(assetId), signal)
    const now = await findKey()
    if (now === key) return
    key = now
  }
}
