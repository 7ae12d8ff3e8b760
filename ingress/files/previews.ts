import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as objects from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { preview } from '#tasks/files/preview.ts'
import { getPreviewType, maxPreviewBytes, previewTypes } from '#tasks/files/rules/previewable.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, storage } from '../http/services.ts'
import { notClean } from './objects.ts'
import { getOwner, tenant_id } from './owner.ts'

/** Time to live of a preview URL in seconds, and timeout for a preview in milliseconds. */
const [linkSeconds, waitMs] = [300, 25_000]

const notPreviewable = problem(409, 'not_previewable', 'This file type has no preview.')

export const create = route({
  method: 'POST',
  path: '/objects/{id}/preview-url',
  summary: 'Create a preview of a PDF or image',
  description:
    'Returns a JPEG preview URL, valid for five minutes: a page of a PDF, or an image (PNG, JPEG, WebP, GIF, BMP). The preview is rendered in a sandbox. The file type is determined by the content, not the name. If the object is not clean, returns `409`.',
  scope: 'files:read',
  locks: ['tenant_id'],
  repeatable: true,
  params: z.object({ id: pathId('object') }),
  body: z.strictObject({
    page: z.int().min(1).max(100_000).default(1),
    size: z
      .int()
      .min(16)
      .max(2_048)
      .default(800)
      .describe('Maximum length of the longer side in pixels, 16 to 2,048. Default: 800.'),
    tenant_id,
  }),
  status: 200,
  reply: z.object({
    object_id: Id,
    version: z.int(),
    page: z.int(),
    preview_url: secret(z.url()),
    content_type: z.literal('image/jpeg'),
    expires_in_seconds: z.int(),
  }),
  problems: ['not_found', notClean, notPreviewable, 'upstream_error', noAnswerInTime],
  example: { body: { page: 1, size: 400 } },
  enqueues: preview,
  limit: { perMinute: 120, by: 'org' },
  async handle({ params, body: { page, size, tenant_id }, org, key, db, services }) {
    const asked = await mustFind(objects.find(db, getOwner({ org, key }, tenant_id), params.id), 'object')
    const object = await getServedVersion(db, asked)
    const { scan_status, sniffed_type, byte_size } = object
    if (scan_status !== 'clean')
      throw notClean(`The object is ${scan_status}. Only clean objects have a preview.`, { scan_status })
    if (!getPreviewType(object) || byte_size > maxPreviewBytes) {
      const words = `Only ${previewTypes.join(', ')} of up to ${maxPreviewBytes} bytes have a preview.`
      throw notPreviewable(words, { detected_type: sniffed_type, byte_size })
    }
    const about = { orgId: org.id, subject: object.id, timeout: waitMs }
    const made = await services(questions).ask(preview, { objectId: object.id, page, size }, about)
    if (made.why === 'no_page')
      throw badRequest([{ field: 'body.page', issue: 'must be the number of an existing page' }])
    if (made.key === null) throw notPreviewable('The file is damaged, encrypted or too complex for a preview.')
    return {
      object_id: asked.id,
      version: object.version,
      page,
      preview_url: await services(storage).signGet(made.key, linkSeconds),
      content_type: 'image/jpeg' as const,
      expires_in_seconds: linkSeconds,
    }
  },
})
