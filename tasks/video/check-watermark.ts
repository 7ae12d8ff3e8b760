import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as watermarks from '#sql/video/watermarks.ts'
import { task } from '../queue/task.ts'
import { MediaFault } from './rules/transcode/media-fault.ts'

export const checkWatermark = task({
  name: 'video/check-watermark',
  pool: 'media-intake',
  payload: z.object({ watermarkId: Id }),
  tracked: true,
  attempts: 3,
  timeout: 60_000,
  async run({ watermarkId }, { db, media, scratch, storage, signal, own }): Promise<{ readable: boolean }> {
    await using folder = await scratch.attempt()
    const path = join(folder.path, 'image')
    const key = watermarks.imageKey(watermarkId)
    await storage.download(key, path, signal)
    try {
      await media.checkWatermark(path, { signal })
    } catch (error) {
      if (!(error instanceof MediaFault)) throw error
      await storage.deleteAll(key, signal)
      await watermarks.remove(db, watermarkId)
      return { readable: false }
    }
    await own((tx) => watermarks.setReady(tx, watermarkId))
    return { readable: true }
  },
})
