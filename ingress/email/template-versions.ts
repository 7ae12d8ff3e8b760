import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import * as rows from '#sql/email/template-versions.ts'
import * as templates from '#sql/email/templates.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Syntax } from './templates/fields.ts'
import { present as presentTemplate, Template } from './templates.ts'

export const VersionNumber = queryInt(1, 2_147_483_647)

const params = z.object({ id: pathId('template'), number: VersionNumber })

const Summary = z
  .object({
    template_id: Id,
    number: z.int().describe('From 1. The highest number is the current state of the template.'),
    name: z.string(),
    syntax: Syntax,
    subject: z.string(),
    created_at: Instant,
  })
  .meta({ id: 'email.TemplateVersionSummary' })

const Version = Summary.extend({
  html: z.string(),
  mjml: z.string().nullable(),
  text: z.string().nullable(),
  variables: z.array(z.string()).describe('Names of the variables of this version'),
}).meta({ id: 'email.TemplateVersion' })

export const list = orderedListRoute({
  path: '/templates/{id}/versions',
  summary: 'List the versions of a template',
  description: 'Returns the states of the template, newest first. Each change adds a version. The newest 50 are kept.',
  scope: 'email:manage',
  testKeys: 'shared',
  locks: [],
  params: z.object({ id: pathId('template') }),
  problems: ['not_found'],
  item: Summary,
  key: z.int(),
  keyOf: ({ number }: rows.VersionSummary) => number,
  async rows({ params, org, db }, page) {
    await mustFind(templates.find(db, org.id, params.id), 'template')
    return await rows.list(db, org.id, params.id, page)
  },
  present: (row) => row,
})

export const read = route({
  method: 'GET',
  path: '/templates/{id}/versions/{number}',
  summary: 'Read a version of a template',
  description: 'Returns the subject, HTML and text that the template had after this change.',
  scope: 'email:manage',
  testKeys: 'shared',
  locks: [],
  params,
  status: 200,
  reply: Version,
  problems: ['not_found'],
  async handle({ params: { id, number }, org, db }) {
    const { uses: _, ...version } = await mustFind(rows.find(db, org.id, id, number), 'version')
    const { subject, html, text, syntax } = version
    const named = syntax === 'placeholders' ? listPlaceholders(subject, html, text) : version.variables
    return { ...version, variables: named ?? [] }
  },
})

export const restore = route({
  method: 'POST',
  path: '/templates/{id}/versions/{number}/restore',
  repeatable: true,
  summary: 'Restore a version of a template',
  description:
    'Rolls the template back: replaces its name, subject, HTML and text by those of the version. Adds a new version. A draft is not changed.',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params: { id, number }, org, db }) {
    return presentTemplate(await mustFind(rows.restore(db, org.id, id, number), 'version'))
  },
})
