import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as imports from '#sql/video/imports.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { task } from '../queue/task.ts'

export const abortImport = task({
  name: 'video/abort-import',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  async run({ assetId }, { db, storage, signal }) {
    const failed = await imports.find(db, assetId)
    if (failed?.state !== 'failed') return
    const key = sourceKey(assetId)
    if (failed.storage_upload) await storage.multipart.abort(key, failed.storage_upload)
    await storage.deleteAll(key, signal)
  },
})
