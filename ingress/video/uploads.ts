import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { concurrencyFor, maxPartsBytes, planParts, uploadMs } from '#lib/storage/part-plan.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import * as uploads from '#sql/video/uploads.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { abortUpload } from '#tasks/video/abort-upload.ts'
import { probe } from '#tasks/video/probe.ts'
import { Instant } from '../http/instant.ts'
import { followedRoute, type Route, route } from '../http/route.ts'
import { signingSecret, storage } from '../http/services.ts'
import { Browser, grantFor, issuedFields, issueUploadToken, requireUnfinishedUpload } from '../http/upload-tokens.ts'
import { joinParts, partSizeMismatch, partsMissing } from '../http/uploads/join-parts.ts'
import { takeFromToken, uploadNotAllowed } from '../http/uploads/start-tokens.ts'
import { assetFields, insertAsset } from './assets/facts.ts'
import { checkPlan, checkWatermark, planExceeded } from './uploads/admission.ts'
import { checkPageFields } from './uploads/page-fields.ts'
import { processingFields } from './uploads/rules.ts'
import { hasEnded, moveUpload, mustFindUpload, present, Status, stateConflict, wrongState } from './uploads/status.ts'

const params = z.object({ uploadId: Id })

const Session = z
  .object({
    uploadId: Id,
    assetId: Id,
    partSizeBytes: z.int().describe('Exact size of each part in bytes. Only the last part can be smaller.'),
    partsExpected: z.int(),
    recommendedConcurrency: z.int().describe('Number of parts to send at the same time'),
    expiresAt: Instant,
    ...issuedFields,
  })
  .meta({ id: 'video.UploadSession' })

export const start = followedRoute({
  method: 'POST',
  path: '/uploads',
  summary: 'Start a resumable upload',
  description:
    'Creates an upload session and an asset. The file is sent directly to storage with signed part URLs. With `browser`, a web page sends the file. The `upload_token` can read the status, sign parts, and complete or abort this upload only. A web page can also call this operation with an upload token of `POST /v1/stream/upload-tokens`.',
  scope: 'stream:write',
  startToken: 'stream',
  idempotent: { field: 'idempotencyKey' },
  body: z.strictObject({
    bytes: z.int().min(1).max(maxPartsBytes).describe('Exact size of the file in bytes'),
    filename: z.string().min(1).max(500).optional(),
    mimeType: z.string().min(1).max(200).optional(),
    ...assetFields,
    idempotencyKey: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Repeating a request with the same key returns the same session.'),
    ...processingFields,
    browser: Browser.optional(),
  }),
  status: 201,
  reply: Session,
  problems: [planExceeded, uploadNotAllowed],
  example: { body: { bytes: 73400320, filename: 'talk.mp4', mimeType: 'video/mp4', title: 'Opening talk' } },
  async handle(call) {
    const { body, org, plan, db } = call
    checkPageFields(call)
    const fields = { bytes: 'body.bytes', type: 'body.mimeType' }
    await takeFromToken(db, call, { bytes: body.bytes, type: body.mimeType, fields })
    await checkPlan(db, org.id, plan, body.bytes)
    if (body.watermark) await checkWatermark(db, org.id, body.watermark.watermarkId)
    const { bytes, filename = null, mimeType = null } = body
    const asset = await insertAsset(db, org.id, body, { filename, mime_type: mimeType, bytes })
    const { partBytes, parts } = planParts(body.bytes)
    const upload = await uploads.insert(db, {
      id: newId(),
      org_id: org.id,
      asset_id: asset.id,
      bytes: body.bytes,
      part_bytes: partBytes,
      parts,
      expires_at: new Date(Date.now() + uploadMs),
    })
    const session = {
      uploadId: upload.id,
      assetId: asset.id,
      partSizeBytes: partBytes,
      partsExpected: parts,
      recommendedConcurrency: concurrencyFor(parts),
      expiresAt: upload.expires_at.toISOString(),
    }
    return { session, grant: grantFor(upload.id, call, body.browser) }
  },
  // Repeated requests need the token's content, so the content is stored, but never the token itself.
  async follow({ session, grant }, { services }) {
    return { ...session, ...(grant && issueUploadToken(grant, services(signingSecret))) }
  },
})

export const status = route({
  method: 'GET',
  path: '/uploads/{uploadId}',
  summary: 'Read the progress of an upload',
  description: 'Returns the parts that storage has received, so that a client can resume the upload.',
  scope: 'stream:read',
  uploadToken: 'uploadId',
  params,
  status: 200,
  reply: Status,
  problems: ['not_found'],
  async handle({ params, org, uploadToken, db, services }) {
    const upload = await mustFindUpload(db, org.id, params.uploadId)
    requireUnfinishedUpload(uploadToken, hasEnded(upload))
    return await present(upload, services(storage))
  },
})

export const pause = stateRoute('pause', 'paused', {
  summary: 'Pause an upload',
  description: 'The upload cannot be completed until it is resumed. Storage still accepts parts.',
})

export const resume = stateRoute('resume', 'open', {
  summary: 'Resume a paused upload',
  description: 'The upload can be completed again. Uploaded parts are kept.',
})

/** Declares a route that sets the state of an open or paused upload. A repeated call is not an error. */
function stateRoute(verb: string, state: 'open' | 'paused', words: { summary: string; description: string }): Route {
  return route({
    method: 'POST',
    path: `/uploads/{uploadId}/${verb}`,
    ...words,
    scope: 'stream:write',
    params,
    status: 201,
    reply: Status,
    problems: ['not_found', wrongState],
    async handle({ params, org, db, services }) {
      return await present(await moveUpload(db, org.id, params.uploadId, ['open', 'paused'], state), services(storage))
    },
  })
}

/** Aborts an upload. Its asset is aborted too, its quota is released immediately, and its bytes are deleted from storage. */
export const abort = route({
  method: 'DELETE',
  path: '/uploads/{uploadId}',
  summary: 'Abort an upload',
  description: 'Deletes the uploaded parts and releases the reserved storage.',
  scope: 'stream:write',
  uploadToken: 'uploadId',
  params,
  status: 200,
  reply: z.object({ uploadId: Id, assetId: Id, state: z.literal('aborted') }),
  problems: ['not_found', wrongState],
  async handle({ params, org, uploadToken, db }) {
    const before = await mustFindUpload(db, org.id, params.uploadId)
    requireUnfinishedUpload(uploadToken, before.state === 'completed')
    const upload = await abortUploadOf(db, org.id, params.uploadId)
    return { uploadId: upload.id, assetId: upload.asset_id, state: 'aborted' as const }
  },
})

/** Aborts an upload and its asset, and deletes its parts. Throws 404 or 409. Repeated calls change nothing. */
export async function abortUploadOf(db: DatabasePool, orgId: string, id: string): Promise<uploads.Upload> {
  return await db.transaction(async (tx) => {
    const aborted = await moveUpload(tx, orgId, id, ['open', 'paused', 'aborted'], 'aborted')
    await assets.abort(tx, aborted.asset_id)
    await enqueue(tx, abortUpload, { uploadId: aborted.id }, { orgId, key: `abort:${aborted.id}` })
    return aborted
  })
}

/**
 * Passes a joined upload to the media workers. Returns false if it was paused or aborted in the meantime. The joined
 * object of an aborted upload is deleted, because the abort may have run before the object existed.
 */
async function hand(tx: Db, upload: uploads.Upload): Promise<boolean> {
  if (!(await uploads.move(tx, upload.org_id, upload.id, ['open', 'completed'], 'completed'))) {
    await enqueue(tx, abortUpload, { uploadId: upload.id }, { orgId: upload.org_id, key: `abort:${upload.id}` })
    return false
  }
  const assetId = upload.asset_id
  if (await pipeline.begin(tx, assetId))
    await enqueue(tx, probe, { assetId }, { subject: assetId, orgId: upload.org_id })
  return true
}

export const complete = route({
  method: 'POST',
  path: '/uploads/{uploadId}/complete',
  repeatable: true,
  summary: 'Complete an upload',
  description: 'Checks every part in storage and starts processing. A second call returns the same result.',
  scope: 'stream:write',
  uploadToken: 'uploadId',
  params,
  status: 201,
  reply: z.object({ uploadId: Id, assetId: Id, status: assets.Status }),
  problems: ['not_found', wrongState, partsMissing, partSizeMismatch],
  enqueues: probe,
  async repeats({ params, org, db }) {
    return (await mustFindUpload(db, org.id, params.uploadId)).state === 'completed'
  },
  async handle({ params, org, db, services }) {
    const upload = await mustFindUpload(db, org.id, params.uploadId)
    if (upload.state === 'open') await joinParts(services(storage), uploads.sourceKey(upload.asset_id), upload)
    else if (upload.state !== 'completed') throw stateConflict(upload)
    const completed = await db.transaction(async (tx) => await hand(tx, upload))
    if (!completed) throw stateConflict(await mustFindUpload(db, org.id, upload.id))
    const asset = await assets.find(db, org.id, upload.asset_id)
    return { uploadId: upload.id, assetId: upload.asset_id, status: asset?.status ?? 'processing' }
  },
})
