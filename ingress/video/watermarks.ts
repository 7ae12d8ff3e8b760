import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as watermarks from '#sql/video/watermarks.ts'
import { checkWatermark } from '#tasks/video/check-watermark.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, storage } from '../http/services.ts'
import { BadImageError } from './watermarks/bad-image.ts'
import { type ImageFacts, imageFacts } from './watermarks/image-facts.ts'

const maxBytes = 1024 ** 2
// Maximum number of pixels, which is the limit of the engine. A PNG of 875 KB can have 15000x15000 pixels and need 986
// MB to decode (measured).
const maxPixels = 4096 * 4096
const maxPerOrg = 200
const previewSeconds = 300
const decodeMs = 20_000

const tooMany = problem(409, 'watermark_limit', `The organisation already has ${maxPerOrg} watermarks.`)

const Watermark = z
  .object({
    id: Id,
    name: z.string().nullable(),
    bytes: z.int().describe('Size of the decoded image in bytes'),
    contentType: z.enum(['image/png', 'image/jpeg']),
    width: z.int(),
    height: z.int(),
    created_at: Instant,
  })
  .meta({ id: 'video.Watermark' })

export const create = route({
  method: 'POST',
  path: '/watermarks',
  summary: 'Upload a logo',
  description: 'A PNG or JPEG of up to 1 MiB and 4096 by 4096 pixels. Use its ID as the watermark of an upload.',
  scope: 'stream:write',
  bodyLimit: 1_500_000,
  body: z.strictObject({
    name: z.string().min(1).max(200).optional(),
    imageBase64: z.string().min(1).describe('The image in base64, with or without a `data:` prefix'),
  }),
  status: 201,
  reply: Watermark,
  problems: [tooMany, 'upstream_error', noAnswerInTime],
  async handle({ body, org, db, services }) {
    const bytes = decode(body.imageBase64)
    const facts = factsOf(bytes)
    const { contentType: content_type, width, height } = facts
    const name = body.name ?? null
    const row = { id: newId(), org_id: org.id, name, bytes: bytes.length, content_type, width, height }
    const watermark = await db.transaction((tx) => watermarks.insert(tx, row, maxPerOrg))
    if (!watermark) throw tooMany(`An organisation can have up to ${maxPerOrg} watermarks.`, { max: maxPerOrg })
    await services(storage).put(watermarks.imageKey(watermark.id), bytes, { contentType: content_type })
    const payload = { watermarkId: watermark.id }
    const about = { orgId: org.id, subject: watermark.id, timeout: decodeMs }
    const { readable } = await services(questions).ask(checkWatermark, payload, about)
    if (!readable) throw refused('must be an image that can be decoded')
    return present(watermark)
  },
})

export const list = listRoute({
  path: '/watermarks',
  summary: 'List logos',
  description: 'Returns the logos that can be placed on videos, without their image data.',
  scope: 'stream:read',
  item: Watermark,
  rows: ({ org, db }, page) => watermarks.list(db, org.id, page),
  present,
})

export const image = route({
  method: 'GET',
  path: '/watermarks/{id}/image',
  summary: 'Create a preview URL for a logo',
  description: 'Returns a signed URL of the image. It expires after `expiresInSeconds`.',
  scope: 'stream:read',
  params: z.object({ id: pathId('watermark') }),
  status: 200,
  reply: z.object({ url: secret(z.url()), contentType: z.string(), expiresInSeconds: z.int() }),
  problems: ['not_found'],
  async handle({ params, org, db, services }) {
    const watermark = await mustFind(watermarks.find(db, org.id, params.id), 'watermark')
    const url = await services(storage).signGet(watermarks.imageKey(watermark.id), previewSeconds)
    return { url, contentType: watermark.content_type, expiresInSeconds: previewSeconds }
  },
})

const refused = (issue: string) => badRequest([{ field: 'body.imageBase64', issue }])

function decode(text: string): Buffer {
  const base64 = text.replace(/^data:image\/[a-z+.-]+;base64,/i, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 === 1) throw refused('must be base64')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > maxBytes) throw refused(`has ${bytes.length} bytes, but must have up to ${maxBytes}`)
  return bytes
}

function factsOf(bytes: Buffer): ImageFacts {
  try {
    return imageFacts(bytes, maxPixels)
  } catch (error) {
    if (error instanceof BadImageError) throw refused(error.message)
    throw error
  }
}

function present(watermark: watermarks.Watermark): z.input<typeof Watermark> {
  const { id, name, bytes, content_type, width, height, created_at } = watermark
  return { id, name, bytes, contentType: content_type, width, height, created_at }
}
