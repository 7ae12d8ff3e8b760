import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as facts from '#sql/files/images/facts.ts'
import * as variants from '#sql/files/images/variants.ts'
import * as rows from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { measureImage } from '#tasks/files/measure-image.ts'
import { maxSide } from '#tasks/files/rules/images/recipe.ts'
import { isTransformable } from '#tasks/files/rules/images/transformable.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { getFileUrl } from './delivery/urls.ts'
import { transformationFields } from './image-presets.ts'
import { faultSentences, notTransformable, whyNotTransformable } from './images/problems.ts'
import { signParams } from './images/signed-params.ts'
import { notClean } from './objects.ts'
import { getOwner, tenant_id } from './owner.ts'

const params = z.object({ id: pathId('object') })

/** Time in milliseconds for which a request waits for the facts of an image. */
const waitMs = 20_000

async function findImage(
  db: Parameters<typeof rows.find>[0],
  owner: rows.Owner,
  id: string,
): Promise<{ asked: rows.FileObject; served: rows.FileObject }> {
  const asked = await mustFind(rows.find(db, owner, id), 'object')
  const served = await getServedVersion(db, asked)
  const { scan_status } = served
  if (scan_status !== 'clean')
    throw notClean(`The object is ${scan_status}. Only clean images are transformed.`, { scan_status })
  if (!isTransformable(served))
    throw notTransformable(whyNotTransformable(served), { detected_type: served.sniffed_type })
  return { asked, served }
}

export const read = route({
  method: 'GET',
  path: '/objects/{id}/image',
  summary: 'Read size and blurhash of an image',
  description:
    'Returns the size in pixels after the EXIF orientation is applied, and a blurhash: a text of about 30 characters from which a page draws a placeholder.',
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: z
    .object({
      object_id: Id,
      version: z.int(),
      width: z.int(),
      height: z.int(),
      frames: z.int().describe('Number of frames of an animation. 1 for a still image.'),
      alpha: z.boolean().describe('True if the image can have transparent parts'),
      blurhash: z.string(),
    })
    .meta({ id: 'files.Image' }),
  problems: ['not_found', notClean, notTransformable, 'upstream_error', noAnswerInTime],
  enqueues: measureImage,
  limit: { perMinute: 600, by: 'org' },
  async handle({ params, query, org, key, db, services }) {
    const { asked, served } = await findImage(db, getOwner({ org, key }, query.tenant_id), params.id)
    const known = await facts.find(db, served.id)
    if ((known?.blurhash ?? known?.fault ?? null) === null) {
      const about = { orgId: org.id, subject: served.id, timeout: waitMs }
      await services(questions).ask(measureImage, { objectId: served.id }, about)
    }
    const image = await mustFind(facts.find(db, served.id), 'image')
    const { width, height, frames, alpha, blurhash, fault } = image
    if (width === null || height === null || frames === null || alpha === null || blurhash === null)
      throw notTransformable(faultSentences[fault ?? 'too_complex'] ?? '', { fault })
    return { object_id: asked.id, version: served.version, width, height, frames, alpha, blurhash }
  },
})

const Variant = z
  .object({
    recipe: z.string().describe('Parameters of the variant, in device pixels'),
    content_type: z.string().nullable().describe('`null` if the original is served'),
    width: z.int().nullable(),
    height: z.int().nullable(),
    byte_size: z.int(),
    created_at: Instant,
    used_at: Instant.describe('Last use, to a day'),
  })
  .meta({ id: 'files.ImageVariant' })

export const listVariants = route({
  method: 'GET',
  path: '/objects/{id}/variants',
  summary: 'List the stored variants of an image',
  description: `Returns up to ${variants.maxVariants} variants of the served version, newest first. Their bytes count as storage.`,
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: z.object({ data: z.array(Variant) }),
  problems: ['not_found'],
  async handle({ params, query, org, key, db }) {
    const asked = await mustFind(rows.find(db, getOwner({ org, key }, query.tenant_id), params.id), 'object')
    const served = await getServedVersion(db, asked)
    const found = await variants.list(db, served.id)
    return {
      data: found.map(({ recipe, content_type, width, height, byte_size, created_at, used_at }) => ({
        ...{ recipe, content_type, width, height, byte_size, created_at, used_at },
      })),
    }
  },
})

export const createUrl = route({
  method: 'POST',
  path: '/objects/{id}/image-url',
  repeatable: true,
  summary: 'Create a URL with signed image parameters',
  description:
    'Returns the URL of the image with signed parameters. The URL also works if the organisation allows only presets. The parameters never expire. If the visibility of the object is `signed`, add a `token`.',
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  body: z.strictObject({
    ...transformationFields,
    dpr: z
      .number()
      .multipleOf(0.5)
      .min(1)
      .max(4)
      .default(1)
      .describe('Device pixels per CSS pixel, 1 to 4 in steps of 0.5. Default: 1.'),
    tenant_id,
  }),
  status: 200,
  reply: z.object({ object_id: Id, url: secret(z.url()) }),
  problems: ['not_found', notClean, notTransformable],
  example: { body: { width: 640, fit: 'inside' } },
  async handle({ params, body: { tenant_id, dpr, ...transformation }, org, key, db, services, origin }) {
    const faults = (['width', 'height'] as const).filter((side) => (transformation[side] ?? 0) * dpr > maxSide)
    const issue = `must be at most ${maxSide} pixels after multiplication by \`dpr\``
    if (faults.length > 0) throw badRequest(faults.map((side) => ({ field: `body.${side}`, issue })))
    const { asked, served } = await findImage(db, getOwner({ org, key }, tenant_id), params.id)
    const first = asked.version_of ?? asked.id
    const query = new URLSearchParams({ image: signParams(first, transformation, services(signingSecret)) })
    if (dpr !== 1) query.set('dpr', String(dpr))
    return { object_id: first, url: `${getFileUrl(origin, first, served.filename)}?${query}` }
  },
})
