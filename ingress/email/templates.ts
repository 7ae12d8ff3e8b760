import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { Address } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { findPlaceholderFault, listPlaceholders } from '#lib/placeholders.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as rows from '#sql/email/templates.ts'
import { renderParts } from '#tasks/email/rules/message-parts.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { line, Part, Subject } from './fields.ts'
import { Variables } from './messages/body.ts'
import { isSandbox } from './messages/sandbox.ts'

const params = z.object({ id: pathId('template') })

const maxVariables = 200

function faultOf(text: string): string | undefined {
  const fault = findPlaceholderFault(text, '{{name}} and {{order.number}}')
  if (fault !== undefined) return fault
  return listPlaceholders(text).length > maxVariables ? `must have at most ${maxVariables} variables` : undefined
}

/** Rejects braces that are not placeholders, because they would be sent unchanged. */
const withPlaceholders = <T extends z.ZodType<string>>(part: T) =>
  part.superRefine((text, { addIssue }) => {
    const fault = faultOf(text)
    if (fault !== undefined) addIssue({ code: 'custom', message: fault })
  })

const Name = line(200).min(1)
export const templateFields = {
  name: Name,
  subject: withPlaceholders(Subject),
  html: withPlaceholders(Part),
  text: withPlaceholders(Part).nullable().optional().describe('Plain text. Default: created from the HTML.'),
}

const variables = z
  .array(z.string())
  .describe(
    'Names of the placeholders. A message must set each one without a fallback, except `contact.…` and `unsubscribe_url`.',
  )

const TemplateSummary = z
  .object({
    id: Id,
    name: z.string(),
    subject: z.string(),
    variables,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.TemplateSummary' })

export const Template = z
  .object({
    id: Id,
    name: z.string(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    variables,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.Template' })

export const present = <Shown extends rows.TemplateSummary>({ org_id: _, variables, ...template }: Shown) => ({
  ...template,
  variables: variables ?? [],
})

export const create = route({
  method: 'POST',
  path: '/templates',
  summary: 'Create a template',
  description:
    '`{{name}}` and `{{order.number}}` are replaced by variables. Values are escaped in HTML, written on one line in the subject, and unchanged in text. `{{name|"there"}}` has a fallback. `{{contact.name}}`, `{{contact.email}}` and `{{contact.attributes.city}}` are values of the recipient.',
  scope: 'email:manage',
  body: z.strictObject(templateFields),
  idempotent: true,
  status: 201,
  reply: Template,
  example: {
    body: {
      name: 'Order',
      subject: 'Your order {{order.number}}',
      html: '<p>Hello {{name}}, it is on its way.</p>',
    },
  },
  async handle({ body, org, db }) {
    return present(await rows.insert(db, { ...body, id: newId(), org_id: org.id, text: body.text ?? null }))
  },
})

export const list = listRoute({
  path: '/templates',
  summary: 'List templates, newest first',
  description: 'Returns each template with the names of its variables. Read a template for its `html` and `text`.',
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
  description: 'Omitted fields keep their values. Messages that were already accepted keep the old content.',
  scope: 'email:manage',
  params,
  body: z
    .strictObject(templateFields)
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must contain at least one field to change',
    }),
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params, body, org, db }) {
    return present(await mustFind(rows.update(db, org.id, params.id, body), 'template'))
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
      variables: Variables.optional(),
      contact: Address.optional().describe('Contact whose values are filled in'),
    })
    .optional(),
  status: 200,
  reply: z
    .object({ subject: z.string(), html: z.string().nullable(), text: z.string().nullable() })
    .meta({ id: 'email.TemplatePreview' }),
  problems: ['not_found'],
  example: { body: { variables: { name: 'Ann', order: { number: 1042 } } } },
  async handle({ params, body: { variables, contact: email } = {}, org, key, db }) {
    const template = await mustFind(rows.find(db, org.id, params.id), 'template')
    const contact = email === undefined ? null : await contacts.find(db, org.id, email, isSandbox(key))
    if (email !== undefined && !contact)
      throw badRequest([{ field: 'body.contact', issue: 'must be one of your contacts' }])
    const { name = null, attributes = {} } = contact ?? {}
    const reader = {
      contact: { email: email ?? 'ann@example.net', ...(contact && { name, attributes }) },
      unsubscribeUrl: `${publicUrl()}/send/v1/unsubscribe/test`,
    }
    const parts = renderParts({ template_id: template.id, variables }, template, undefined, reader)
    if ('faults' in parts) throw badRequest(parts.faults)
    return parts
  },
})

export const remove = removeRoute({
  path: '/templates/{id}',
  summary: 'Delete a template',
  description: 'Messages that were already accepted are still sent.',
  scope: 'email:manage',
  params,
  what: 'template',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
