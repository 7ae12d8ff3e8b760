import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as uploads from '#sql/video/uploads.ts'
import { task } from '../queue/task.ts'

export const abortUpload = task({
  name: 'video/abort-upload',
  pool: 'core',
  payload: z.object({ uploadId: Id }),
  attempts: 12,
  async run({ uploadId }, { db, storage, signal }) {
    const upload = await uploads.findAny(db, uploadId)
    if (upload?.state !== 'aborted' && upload?.state !== 'expired') return
    const key = uploads.sourceKey(upload.asset_id)
    if (upload.storage_upload) await storage.multipart.abort(key, upload.storage_upload)
    // A concurrent `complete` call may have joined the parts.
    await storage.deleteAll(key, signal)
  },
})
