import { pathId } from '../http/request/validate.ts'
import { s3Routes } from '../http/uploads/s3-dialect.ts'
import { mustFindUpload } from './multipart/status.ts'
import { abortUpload } from './multipart.ts'

/** Calls of S3 clients for uploads in parts. */
export const { initiate, listParts, join, cancel } = s3Routes({
  param: 'id',
  id: pathId('upload'),
  scope: 'files:write',
  async find({ db, orgId, id }) {
    const { upload, completed } = await mustFindUpload(db, { orgId }, id)
    return { id, key: upload.key, upload, isOpen: !completed }
  },
  abort: ({ db, orgId, id }) => abortUpload(db, { orgId }, id),
})
