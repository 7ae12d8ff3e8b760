import { z } from 'zod'
import { findOutboundFault } from '#lib/http.ts'
import { Id } from '#lib/ids.ts'
import { uploadMs } from '#lib/storage/part-plan.ts'
import * as assets from '#sql/video/assets.ts'
import * as imports from '#sql/video/imports.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { importUrl } from '#tasks/video/import.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { assetFields, insertAsset } from './assets/facts.ts'
import { checkPlan, checkWatermark, planExceeded } from './uploads/admission.ts'
import { processingFields } from './uploads/rules.ts'

const SourceUrl = z
  .string()
  .max(4000)
  .superRefine((text, { addIssue }) => {
    const url = URL.parse(text)
    const issue = url ? findOutboundFault(url) : 'must be a URL'
    if (issue) addIssue({ code: 'custom', message: issue })
  })

export const start = route({
  method: 'POST',
  path: '/imports',
  summary: 'Import a file from a URL',
  description:
    'Returns immediately. A worker downloads the file within a day and resumes broken connections with range requests. `import` of the asset contains the progress, and `failure_code` the reason for a failure. The size limit of your plan applies. Only public addresses are requested, with up to five redirects.',
  tool: {
    name: 'import_video',
    reachesOut: true,
    only: ['url', 'filename', 'title', 'description', 'externalRef', 'processingProfile', 'idempotencyKey'],
  },
  scope: 'stream:write',
  beyondContract: true,
  idempotent: { field: 'idempotencyKey' },
  body: z.strictObject({
    url: SourceUrl.describe('An `http` or `https` URL. It can contain a signature in its query, which is never shown.'),
    filename: z.string().min(1).max(500).optional().describe('File name. Default: the last part of the URL path.'),
    ...assetFields,
    ...processingFields,
    idempotencyKey: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Repeating a request with the same key returns the same asset'),
  }),
  status: 201,
  reply: z.object({ assetId: Id, status: assets.Status, expiresAt: Instant }).meta({ id: 'video.Import' }),
  problems: [planExceeded],
  example: { body: { url: 'https://example.com/talk.mp4', title: 'Opening talk', externalRef: 'talk-1' } },
  enqueues: importUrl,
  async handle({ body, org, plan, db }) {
    // The size counts when the server reports it, or as bytes arrive. One byte is checked here, so that an import does
    // not start if storage is full.
    await checkPlan(db, org.id, plan, 1, 'body.url')
    if (body.watermark) await checkWatermark(db, org.id, body.watermark.watermarkId)
    const filename = body.filename ?? lastPartOf(body.url)
    const asset = await insertAsset(db, org.id, body, { filename, mime_type: null, bytes: 0 })
    const expiresAt = new Date(Date.now() + uploadMs)
    await imports.insert(db, { asset_id: asset.id, org_id: org.id, url: body.url, expires_at: expiresAt })
    await enqueue(db, importUrl, { assetId: asset.id }, { subject: asset.id, orgId: org.id })
    return { assetId: asset.id, status: asset.status, expiresAt: expiresAt.toISOString() }
  },
})

/** Returns the file name in a URL, or `null` if its path has none. */
function lastPartOf(url: string): string | null {
  const part = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part).replaceAll('\0', '').slice(0, 500) || null
  } catch {
    return part.slice(0, 500)
  }
}
