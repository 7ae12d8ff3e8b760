import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as assets from '#sql/video/assets.ts'
import * as uploads from '#sql/video/uploads.ts'
import * as watermarks from '#sql/video/watermarks.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'

const uploadsAtOnce = 100
const watermarksAtOnce = 100

/**
 * Expires uploads that were not completed in time, with their parts in storage, and watermarks that were not decoded.
 * Deletes aborted uploads after their retention.
 */
export const sweepUploads = task({
  name: 'video/sweep-uploads',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, storage, signal }) {
    for (const upload of await uploads.listStale(db, uploadsAtOnce)) {
      signal.throwIfAborted()
      // Aborts in storage first. If the process crashes before the row is updated, the row is still stale, and the next
      // abort does nothing.
      if (upload.storage_upload)
        await storage.multipart.abort(uploads.sourceKey(upload.asset_id), upload.storage_upload)
      await db.transaction(async (tx) => {
        const expired = await uploads.move(tx, upload.org_id, upload.id, ['open', 'paused'], 'expired')
        if (expired) await assets.abort(tx, upload.asset_id)
      })
    }
    while ((await forgetOver({ db, storage, signal })) === uploadsAtOnce);
    for (const id of await watermarks.listAbandoned(db, watermarksAtOnce)) {
      await storage.deleteAll(watermarks.imageKey(id), signal)
      await watermarks.remove(db, id)
    }
  },
})

async function forgetOver({
  db,
  storage,
  signal,
}: Pick<Attempt & Tools['core'], 'db' | 'storage' | 'signal'>): Promise<number> {
  const over = await uploads.listExpired(db, config.ABORTED_UPLOAD_DAYS, uploadsAtOnce)
  for (const upload of over) {
    signal.throwIfAborted()
    // Deleted again, because after this step no row shows what the first abort may have left.
    const key = uploads.sourceKey(upload.asset_id)
    if (upload.storage_upload) await storage.multipart.abort(key, upload.storage_upload)
    await storage.deleteAll(key, signal)
    await assets.removeAborted(db, upload.asset_id)
  }
  return over.length
}
