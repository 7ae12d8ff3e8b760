import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as uploads from '#sql/video/uploads.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { requireUnfinishedUpload } from '../http/upload-tokens.ts'
import { bytesOfPart, partUrlSeconds } from './uploads/rules.ts'
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
  body: z.strictObject({
    partNumbers: z.array(z.int().min(1).max(10_000)).min(1).max(100).describe('Part numbers, starting at 1'),
  }),
  status: 201,
  reply: z.object({
    uploadId: Id,
    parts: z.array(
      z.object({
        partNumber: z.int(),
        url: secret(z.url()),
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
    const faults = body.partNumbers.flatMap((number, i) =>
      number > upload.parts
        ? [
            {
              field: `body.partNumbers.${i}`,
              issue: `must be at most ${upload.parts}, the number of parts of the upload`,
            },
          ]
        : [],
    )
    if (faults.length > 0) throw badRequest(faults)
    if (upload.state !== 'open') throw stateConflict(upload, notOpen)
    const key = uploads.sourceKey(upload.asset_id)
    const storageUpload = upload.storage_upload ?? (await begin(db, upload, services(storage)))
    const parts = await Promise.all(
      [...new Set(body.partNumbers)].map(async (partNumber) => {
        const bytes = bytesOfPart(upload, partNumber)
        const part = { number: partNumber, bytes }
        const url = await services(storage).multipart.sign(key, storageUpload, part, partUrlSeconds)
        return { partNumber, url, bytes }
      }),
    )
    const expiresAt = new Date(Date.now() + partUrlSeconds * 1000)
    return { uploadId: upload.id, parts, expiresInSeconds: partUrlSeconds, expiresAt }
  },
})

/** Creates the upload in storage when the first part is signed. So starting an upload waits only for the database. */
async function begin(db: Db, upload: uploads.Upload, storage: Storage): Promise<string> {
  const key = uploads.sourceKey(upload.asset_id)
  const mine = await storage.multipart.create(key, { contentType: 'application/octet-stream' })
  const kept = await uploads.setStorageUpload(db, upload.id, mine)
  if (kept !== mine) await storage.multipart.abort(key, mine)
  if (kept === null) throw stateConflict(await mustFindUpload(db, upload.org_id, upload.id), notOpen)
  return kept
}
