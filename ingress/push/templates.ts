import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import { maxPlaceholders } from '#lib/placeholders.ts'
import * as rows from '#sql/push/templates.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { requireAllAppsAccess } from './apps/own-app.ts'
import { Data, Locale } from './fields.ts'
import { countPlaceholders, listVariables } from './messages/render.ts'

const params = z.object({ template_id: pathId('template') })

const maxVariables = 200

const name = z.string().trim().min(1).max(200)
const Text = z
  .strictObject({
    title: z.string().max(1_000).optional(),
    body: z.string().max(4_000).optional(),
    data: Data.optional(),
  })
  .refine(
    ({ title, body, data }) => title !== undefined || body !== undefined || data !== undefined,
    'must have `title`, `body` or `data`',
  )
const locales = z
  .record(Locale, Text)
  .refine((given) => Object.keys(given).length > 0, 'must not be empty')
  .refine((given) => Object.keys(given).length <= 100, 'must have at most 100 languages')
  .refine((given) => countPlaceholders(given) <= maxPlaceholders, {
    error: `must have at most ${maxPlaceholders} placeholders`,
    abort: true,
  })
  .refine((given) => listVariables(given).length <= maxVariables, `must name at most ${maxVariables} variables`)
  .describe('Titles and bodies by language, with `{{variables}}`')

const common = {
  id: Id,
  name: z.string(),
  default_locale: z.string().describe('Language for devices and users without a matching language'),
  variables: z.array(z.string()).describe('Variables that a message must contain'),
  version: z
    .int()
    .describe(
      'Version number. It increases with each change. Messages keep the text of the version with which they were accepted.',
    ),
  created_at: Instant,
  updated_at: Instant,
}

const TemplateSummary = z.object(common).meta({ id: 'push.TemplateSummary' })

const Template = z.object({ ...common, locales: z.record(z.string(), rows.Text) }).meta({ id: 'push.Template' })

const present = <Shown extends rows.TemplateSummary>({ org_id: _, variables, ...row }: Shown) => ({
  ...row,
  variables: variables ?? [],
})

/** Throws 400 if the default language has no text. */
function demandDefault(given: rows.Template['locales'], locale: string): void {
  if (given[locale]) return
  throw badRequest([{ field: 'body.default_locale', issue: 'must be one of the languages in `locales`' }])
}

export const create = route({
  method: 'POST',
  path: '/templates',
  summary: 'Create a template',
  description:
    'A template contains a title and a body for each locale. `{{variable}}` placeholders are filled in when a message is sent.',
  scope: 'push:manage',
  idempotent: true,
  body: z.strictObject({ name, locales, default_locale: Locale }),
  status: 201,
  reply: Template,
  example: {
    body: {
      name: 'order shipped',
      default_locale: 'en',
      locales: { en: { title: 'Shipped', body: 'Order {{order}} is on its way' }, de: { title: 'Unterwegs' } },
    },
  },
  async handle({ body, org, key, db }) {
    requireAllAppsAccess({ key })
    demandDefault(body.locales, body.default_locale)
    return present(await rows.insert(db, { ...body, id: newId(), org_id: org.id }))
  },
})

export const list = listRoute({
  path: '/templates',
  summary: 'List templates, newest first',
  description: 'Returns each template with the names of its variables. Read a template for its `locales`.',
  scope: 'push:manage',
  testKeys: 'shared',
  locks: [],
  item: TemplateSummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/templates/{template_id}',
  summary: 'Read a template',
  description: 'Returns the template with its text in each locale and the names of its variables.',
  scope: 'push:manage',
  testKeys: 'shared',
  locks: [],
  params,
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return present(await mustFind(rows.find(db, org.id, params.template_id), 'template'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/templates/{template_id}',
  summary: 'Update a template',
  description:
    '`locales` replaces all languages. With `version`, the update is rejected if the template has changed since that version.',
  scope: 'push:manage',
  params,
  body: z.strictObject({
    name: name.optional(),
    locales: locales.optional(),
    default_locale: Locale.optional(),
    version: Int4.min(1).optional().describe('Version on which the update is based'),
  }),
  status: 200,
  reply: Template,
  problems: ['not_found', 'conflict'],
  async handle({ params, body, org, key, db }) {
    requireAllAppsAccess({ key })
    const before = await mustFind(rows.find(db, org.id, params.template_id), 'template')
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const wanted = { ...before, ...given } as rows.Template
    demandDefault(wanted.locales, wanted.default_locale)
    const after = await rows.update(db, wanted)
    if (!after) throw conflict('The template has changed since you read it. Read it again.')
    return present(after)
  },
})

export const remove = removeRoute({
  path: '/templates/{template_id}',
  summary: 'Delete a template',
  description: 'Accepted messages that use the template are still sent.',
  scope: 'push:manage',
  params,
  what: 'template',
  remove: async ({ params, org, key, db }) => {
    requireAllAppsAccess({ key })
    return await rows.remove(db, org.id, params.template_id)
  },
})
