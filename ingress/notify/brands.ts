import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as rows from '#sql/notify/brands.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { PersonName, ProductKey, TemplateName } from './fields.ts'
import { demandTemplate } from './templates.ts'

/** Maximum number of brands of an organisation. */
const most = 200

const tooMany = problem(409, 'too_many_brands', `An organisation can have up to ${most} brands.`)

const Brand = z
  .object({
    product_key: z.string(),
    name: z.string(),
    logo_url: z.string().nullable(),
    color: z.string().nullable(),
    footer: z.string().nullable(),
    layout_id: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'notify.Brand' })

const present = ({ id: _, org_id: __, ...brand }: rows.Brand): z.input<typeof Brand> => brand

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
const control = /[\u0000-\u0009\u000b-\u001f\u007f]/

const Footer = z
  .string()
  .min(1)
  .max(2_000)
  .refine((text) => !control.test(text), { error: 'must not contain control characters other than line breaks' })

export const put = route({
  method: 'PUT',
  path: '/brands',
  summary: 'Create or replace a brand',
  description:
    'Emails of the product that have no template use the brand: logo, colour, footer and layout. Products without a brand send plain text.',
  scope: 'notify:write',
  body: z.strictObject({
    product_key: ProductKey,
    name: PersonName.describe('Name of the product that recipients see'),
    logo_url: z
      .url({ protocol: /^https$/, error: 'must be an https URL, such as https://example.com/logo.png' })
      .max(2_000)
      .nullish()
      .describe('Image at the top of the email, shown 40 pixels high'),
    color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour, such as #1a56db')
      .nullish()
      .describe('Colour of buttons and lines. Default: `#1a56db`.'),
    footer: Footer.nullish().describe('Text at the end of the email, such as your postal address'),
    layout_id: TemplateName.nullish().describe(
      'Layout of the email area: the ID or alias of a template of the kind `layout` with the block `content`. Default: the built-in layout.',
    ),
  }),
  status: 200,
  reply: Brand,
  problems: [tooMany],
  example: {
    body: {
      product_key: 'shop',
      name: 'Example Shop',
      logo_url: 'https://example.com/logo.png',
      color: '#0b6e4f',
      footer: 'Example Ltd, 1 High Street, Tallinn',
    },
  },
  async handle({ body: { logo_url = null, color = null, footer = null, layout_id = null, ...brand }, org, db }) {
    await demandTemplate(db, org.id, layout_id, 'layout', 'body.layout_id')
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.brands')
      const key = { org_id: org.id, product_key: brand.product_key }
      if (!(await rows.find(tx, key)) && (await rows.count(tx, org.id)) >= most) throw tooMany(tooMany.when)
      return present(await rows.put(tx, { ...brand, org_id: org.id, logo_url, color, footer, layout_id }))
    })
  },
})

export const list = listRoute({
  path: '/brands',
  summary: 'List brands, newest first',
  description: 'Returns how the emails of each product look.',
  scope: 'notify:read',
  filters: rows.filters,
  query: { product_key: ProductKey.optional() },
  item: Brand,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const remove = route({
  method: 'DELETE',
  path: '/brands',
  summary: 'Delete a brand',
  description: 'Emails of the product are plain text again.',
  scope: 'notify:write',
  query: z.object({ product_key: ProductKey }),
  status: 200,
  reply: z.object({ product_key: z.string(), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ query, org, db }) {
    if (!(await rows.remove(db, { ...query, org_id: org.id }))) throw notFound('brand')
    return { ...query, deleted: true as const }
  },
})
