import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { partUrlSeconds } from '#lib/storage/part-plan.ts'
import * as uploads from '#sql/video/uploads.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { requireUnfinishedUpload } from '../http/upload-tokens.ts'
import { beginInStorage, checkPartNumbers, PartNumbers, signedUrl, signParts } from '../http/uploads/sign-parts.ts'
import { hasEnded, mustFindUpload, stateConflict } from './uploads/status.ts'

const notOpen = problem(409, 'conflict', 'The upload is not open.')

export const sign = route({
  method: 'POST',
  path: '/uploads/{uploadId}/parts/sign',
  repeatable: true,
  summary: 'Create signed URLs for parts',
  description:
    'Send each part with a `PUT` request to its URL, with exactly its number of bytes, then complete the upload. The `content-length` is signed. Storage returns `403` for a different length or a chunked body.',
  scope: 'stream:write',
  uploadToken: 'uploadId',
  params: z.object({ uploadId: Id }),
  body: z.strictObject({ partNumbers: PartNumbers }),
  status: 201,
  reply: z.object({
    uploadId: Id,
    parts: z.array(
      z.object({
        partNumber: z.int(),
        url: signedUrl,
        bytes: z.int().describe('Signed number of bytes that the `PUT` must send'),
      }),
    ),
    expiresInSeconds: z.int(),
    expiresAt: Instant,
  }),
  problems: ['not_found', notOpen],
  example: { body: { partNumbers: [1, 2, 3] } },
  async handle({ params, body, org, uploadToken, db, services }) {
    const upload = await mustFindUpload(db, org.id, params.uploadId)
    requireUnfinishedUpload(uploadToken, hasEnded(upload))
    checkPartNumbers(body.partNumbers, upload, 'partNumbers')
    if (upload.state !== 'open') throw stateConflict(upload, notOpen)
    const key = uploads.sourceKey(upload.asset_id)
    const keep = (begun: string) => uploads.setStorageUpload(db, upload.id, begun)
    const storage_upload =
      upload.storage_upload ?? (await beginInStorage(services(storage), key, 'application/octet-stream', keep))
    if (storage_upload === null) throw stateConflict(await mustFindUpload(db, org.id, upload.id), notOpen)
    const signed = await signParts(services(storage), key, { ...upload, storage_upload }, body.partNumbers)
    const parts = signed.map(({ number, url, bytes }) => ({ partNumber: number, url, bytes }))
    const expiresAt = new Date(Date.now() + partUrlSeconds * 1000)
    return { uploadId: upload.id, parts, expiresInSeconds: partUrlSeconds, expiresAt }
  },
})
