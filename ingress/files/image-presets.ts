import { z } from 'zod'
import * as rows from '#sql/files/images/presets.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { fits, formats, maxSide, plain, positions } from '#tasks/files/rules/images/recipe.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { presetName } from './images/params.ts'

const tooMany = problem(409, 'too_many_presets', `An organisation can have up to ${rows.maxPresets} presets.`)

const Name = z
  .string()
  .regex(presetName, 'must be 1 to 40 lowercase letters, digits, - or _, and start with a letter or digit')

const params = z.object({ name: Name })

const Side = z.int().min(1).max(maxSide).nullable().default(plain.width)

/** Parameters of a transformation in a body. */
export const transformationFields = {
  width: Side.describe(`Width in CSS pixels, 1 to ${maxSide.toLocaleString('en')}. Default: from the height.`),
  height: Side.describe(`Height in CSS pixels, 1 to ${maxSide.toLocaleString('en')}. Default: from the width.`),
  fit: z
    .enum(fits)
    .default(plain.fit)
    .describe('How the image fits into width and height, as `object-fit` in CSS. Default: `inside`, without cropping.'),
  position: z
    .enum(positions)
    .default('centre')
    .describe('Part of the image that `cover` keeps, or its place in `contain`. Default: `centre`.'),
  background: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be a colour of six hex digits, such as ffffff')
    .transform((colour) => colour.toLowerCase())
    .nullable()
    .default(null)
    .describe('Colour behind transparent parts and around `contain`. Default: transparent, or white in JPEG.'),
  format: z
    .enum(formats)
    .default(plain.format)
    .describe('Format of the result. `auto` selects the best format that the client accepts. Default: `auto`.'),
  quality: z
    .int()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe('Quality, 1 to 100. Default: 50 for AVIF, 75 for WebP, 80 for JPEG.'),
  enlarge: z.boolean().default(false).describe('If true, small images are enlarged. Default: `false`.'),
  animated: z
    .boolean()
    .default(true)
    .describe('If false, only the first frame of an animation is used. Default: `true`.'),
}

const Preset = z
  .object({
    name: z.string(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    fit: z.enum(fits),
    position: z.string(),
    background: z.string().nullable(),
    format: z.enum(formats),
    quality: z.int().nullable(),
    enlarge: z.boolean(),
    animated: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'files.ImagePreset' })

const present = ({ id: _, org_id: __, ...preset }: rows.Preset): z.input<typeof Preset> => preset

export const put = route({
  method: 'PUT',
  path: '/image-presets/{name}',
  summary: 'Create or replace an image preset',
  description:
    'The URL of an image with `?preset=` and this name returns the image in this size and format. A change applies to all URLs within 2 seconds.',
  scope: 'files:write',
  params,
  body: z.strictObject(transformationFields),
  status: 200,
  reply: Preset,
  problems: [tooMany],
  example: { body: { width: 400, height: 300, fit: 'cover' } },
  async handle({ params: { name }, body, org, db }) {
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'files.image_presets')
      const isNew = (await rows.find(tx, org.id, name)) === null
      if (isNew && (await rows.count(tx, org.id)) >= rows.maxPresets) throw tooMany(tooMany.when)
      return present(await rows.put(tx, { org_id: org.id, name, ...body }))
    })
  },
})

export const list = listRoute({
  path: '/image-presets',
  summary: 'List image presets, newest first',
  description: 'Returns the presets of the organisation. `format` filters by the format of the result.',
  scope: 'files:read',
  filters: rows.filters,
  query: { format: z.enum(formats).optional() },
  item: Preset,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/image-presets/{name}',
  summary: 'Read an image preset',
  description: 'Returns size, format and quality of the preset.',
  scope: 'files:read',
  params,
  status: 200,
  reply: Preset,
  problems: ['not_found'],
  handle: async ({ params: { name }, org, db }) => present(await mustFind(rows.find(db, org.id, name), 'preset')),
})

export const remove = removeRoute({
  path: '/image-presets/{name}',
  summary: 'Delete an image preset',
  description:
    'URLs with this preset return `400` within 2 seconds. Stored variants are deleted after 30 days without use.',
  scope: 'files:write',
  params,
  reply: { name: z.string() },
  what: 'preset',
  remove: ({ params: { name }, org, db }) => rows.remove(db, org.id, name),
})
