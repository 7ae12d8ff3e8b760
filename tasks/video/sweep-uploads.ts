import { z } from 'zod'
import * as assets from '#sql/video/assets.ts'
import * as sessions from '#sql/video/playback-sessions.ts'
import * as uploads from '#sql/video/uploads.ts'
import * as watermarks from '#sql/video/watermarks.ts'
import { inBatches } from '../batches.ts'
import { task } from '../task.ts'

const uploadsAtOnce = 100
const watermarksAtOnce = 100

/**
 * Expires uploads that nobody completed in time, with what storage holds of them, and watermarks that nobody decoded; forgets ended
 * playback sessions.
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
      // Storage first: after a crash in between, the row is still stale and the abort finds nothing to do.
      if (upload.storage_upload)
        await storage.multipart.abort(uploads.sourceKey(upload.asset_id), upload.storage_upload)
      await db.transaction(async (tx) => {
        const expired = await uploads.move(tx, upload.org_id, upload.id, ['open', 'paused'], 'expired')
        if (expired) await assets.abort(tx, upload.asset_id)
      })
    }
    for (const id of await watermarks.listAbandoned(db, watermarksAtOnce)) {
      await storage.deleteAll(watermarks.imageKey(id), signal)
      await watermarks.remove(db, id)
    }
    await inBatches(signal, (limit) => sessions.deleteExpired(db, limit))
  },
})
