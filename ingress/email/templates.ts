import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as drafts from '#sql/email/template-drafts.ts'
import * as rows from '#sql/email/templates.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Variables } from './messages/body.ts'
import { isSandbox } from './messages/sandbox.ts'
import { contentOf, resolveContent } from './templates/content.ts'
import { Kind, Syntax, templateFields, withContentChecks } from './templates/fields.ts'
import { renderTemplate } from './templates/rendering.ts'

const params = z.object({ id: pathId('template') })

const variables = z
  .array(z.string())
  .describe(
    'Names of the variables. A message must set each one without a fallback, except `contact.…` and `unsubscribe_url`.',
  )

const uses = z.array(z.string()).describe('Aliases of the partials and layouts that the template uses')

const TemplateSummary = z
  .object({
    id: Id,
    name: z.string(),
    kind: Kind,
    alias: z.string().nullable(),
    syntax: Syntax,
    subject: z.string().describe('Empty for partials and layouts'),
    variables,
    uses,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.TemplateSummary' })

export const Template = z
  .object({
    id: Id,
    name: z.string(),
    kind: Kind,
    alias: z.string().nullable(),
    syntax: Syntax,
    subject: z.string().describe('Empty for partials and layouts'),
    html: z.string().describe('HTML, or the HTML that was converted from `mjml`'),
    mjml: z.string().nullable(),
    text: z.string().nullable(),
    variables,
    uses,
    test_data: z.record(z.string(), z.unknown()).nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.Template' })

export const present = <Shown extends rows.TemplateSummary>({ org_id: _, variables, ...template }: Shown) => ({
  ...template,
  variables: variables ?? [],
})

const aliasTaken = problem(409, 'alias_taken', 'Another template has this alias.')
const inUse = problem(409, 'template_in_use', 'Templates, campaigns or brands use this partial or layout.')

/** Converts the error of a taken alias. */
async function withOwnAlias<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    throw error instanceof UniqueIntegrityConstraintViolationError ? aliasTaken(aliasTaken.when) : error
  }
}

/** Throws 409 if something uses a partial or layout that is about to lose its alias, or its ID too. */
async function demandUnused(
  db: Db,
  orgId: string,
  { id, kind, alias }: Pick<rows.Template, 'id' | 'kind' | 'alias'>,
  isDeleted: boolean,
) {
  if (kind === 'email' || alias === null) return
  const users = await rows.listUsers(db, orgId, alias, isDeleted ? id : null)
  if (users.length === 0) return
  const named = users.map(({ kind, name }) => `${userWords[kind]} ${name}`).join(', ')
  throw inUse(`This ${kind} is in use: ${named}. Change these first.`, { used_by: users.map(({ name }) => name) })
}

const userWords = {
  template: 'template',
  draft: 'draft of the template',
  campaign: 'campaign',
  brand: 'brand',
} as const

export const create = route({
  method: 'POST',
  path: '/templates',
  summary: 'Create a template',
  description:
    '`{{name}}` and `{{order.number}}` are replaced by variables. Values are escaped in HTML, written on one line in the subject, and unchanged in text. `{{name|"there"}}` has a fallback. `{{contact.name}}`, `{{contact.email}}` and `{{contact.attributes.city}}` are values of the recipient. With `syntax: "liquid"`, templates have conditions, loops, filters, partials and layouts.',
  scope: 'email:manage',
  body: withContentChecks(
    z.strictObject({ ...templateFields, kind: Kind.optional().describe('Default: `email`') }),
    'placeholders',
  ),
  idempotent: true,
  status: 201,
  reply: Template,
  problems: [aliasTaken],
  example: {
    body: {
      name: 'Order',
      subject: 'Your order {{order.number}}',
      html: '<p>Hello {{name}}, it is on its way.</p>',
    },
  },
  async prepare({ body: { kind = 'email', alias = null, test_data: _, ...given }, org, db }) {
    return await resolveContent(db, { org_id: org.id, kind, alias }, given)
  },
  async handle({ body: { kind = 'email', alias = null, test_data = null }, org, prepared, db }) {
    const own = { id: newId(), org_id: org.id, kind, alias, test_data }
    return present(await withOwnAlias(rows.insert(db, { ...prepared, ...own })))
  },
})

export const list = listRoute({
  path: '/templates',
  summary: 'List templates, newest first',
  description: 'Returns each template with the names of its variables. Read a template for its `html` and `text`.',
  tool: { name: 'list_email_templates' },
  scope: 'email:manage',
  testKeys: 'shared',
  locks: [],
  item: TemplateSummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/templates/{id}',
  summary: 'Read a template',
  description: 'Returns the template with its subject, HTML, text and the names of its variables.',
  tool: { name: 'get_email_template' },
  scope: 'email:manage',
  testKeys: 'shared',
  locks: [],
  params,
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return present(await mustFind(rows.find(db, org.id, params.id), 'template'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/templates/{id}',
  summary: 'Update a template',
  description:
    'Omitted fields keep their values. The change is used immediately. To prepare a change, update the draft instead. Messages that were already accepted keep the old content.',
  scope: 'email:manage',
  params,
  body: withContentChecks(
    z
      .strictObject(templateFields)
      .partial()
      .refine((body) => Object.values(body).some((value) => value !== undefined), {
        error: 'must contain at least one field to change',
      }),
  ),
  status: 200,
  reply: Template,
  problems: ['not_found', aliasTaken, inUse],
  async handle({ params, body: { alias, test_data, ...given }, org, db }) {
    const before = await mustFind(rows.find(db, org.id, params.id), 'template')
    const owner = { ...before, ...(alias !== undefined && { alias }) }
    if (alias !== undefined && alias !== before.alias) await demandUnused(db, org.id, before, false)
    const isChanged = Object.values(given).some((value) => value !== undefined)
    const content = isChanged || alias !== undefined ? await resolveContent(db, owner, given, contentOf(before)) : {}
    const changes = { ...content, alias, test_data }
    return present(await mustFind(withOwnAlias(rows.update(db, org.id, params.id, changes)), 'template'))
  },
})

export const preview = route({
  method: 'POST',
  path: '/templates/{id}/preview',
  repeatable: true,
  summary: 'Preview a template',
  description: 'Returns the subject, HTML and text with the variables filled in. Nothing is sent.',
  scope: 'email:manage',
  testKeys: 'shared',
  locks: [],
  params,
  body: z
    .strictObject({
      variables: Variables.optional().describe('Default: the test data of the template'),
      contact: Address.optional().describe('Contact whose values are filled in'),
      draft: z.boolean().optional().describe('Whether to show the draft of the template. Default: false.'),
    })
    .optional(),
  status: 200,
  reply: z
    .object({ subject: z.string(), html: z.string().nullable(), text: z.string().nullable() })
    .meta({ id: 'email.TemplatePreview' }),
  problems: ['not_found'],
  example: { body: { variables: { name: 'Ann', order: { number: 1042 } } } },
  async handle({ params, body: { variables, contact: email, draft = false } = {}, org, key, db }) {
    const template = await mustFind(rows.find(db, org.id, params.id), 'template')
    const next = draft ? await mustFind(drafts.find(db, org.id, params.id), 'draft') : {}
    const contact = email === undefined ? null : await contacts.find(db, org.id, email, isSandbox(key))
    if (email !== undefined && !contact)
      throw badRequest([{ field: 'body.contact', issue: 'must be one of your contacts' }])
    const { name = null, attributes = {} } = contact ?? {}
    const shown = { email: email ?? 'ann@example.net', ...(contact && { name, attributes }) }
    const wanted = { ...template, ...next }
    const parts = await renderTemplate(db, wanted, variables ?? template.test_data ?? undefined, shown)
    if ('faults' in parts) throw badRequest(parts.faults)
    return parts
  },
})

export const remove = removeRoute({
  path: '/templates/{id}',
  summary: 'Delete a template',
  description: 'Messages that were already accepted are still sent. A partial or layout that is in use is not deleted.',
  scope: 'email:manage',
  params,
  what: 'template',
  problems: [inUse],
  async remove({ params, org, db }) {
    const found = await rows.find(db, org.id, params.id)
    if (found) await demandUnused(db, org.id, found, true)
    return await rows.remove(db, org.id, params.id)
  },
})
