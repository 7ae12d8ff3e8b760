import { Id } from '#lib/ids.ts'
import * as uploads from '#sql/video/uploads.ts'
import { s3Routes } from '../http/uploads/s3-dialect.ts'
import { mustFindUpload } from './uploads/status.ts'
import { abortUploadOf } from './uploads.ts'

/** Calls of S3 clients for uploads in parts. */
export const { initiate, listParts, join, cancel } = s3Routes({
  param: 'uploadId',
  id: Id,
  scope: 'stream:write',
  async find({ db, orgId, id }) {
    const upload = await mustFindUpload(db, orgId, id)
    return { id, key: uploads.sourceKey(upload.asset_id), upload, isOpen: upload.state === 'open' }
  },
  abort: ({ db, orgId, id }) => abortUploadOf(db, orgId, id),
})
