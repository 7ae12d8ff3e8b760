import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/template-drafts.ts'
import * as templates from '#sql/email/templates.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { contentOf, resolveContent } from './templates/content.ts'
import { contentFields, Syntax, withContentChecks } from './templates/fields.ts'
import { present as presentTemplate, Template } from './templates.ts'

const params = z.object({ id: pathId('template') })

const Draft = z
  .object({
    template_id: Id,
    name: z.string(),
    syntax: Syntax,
    subject: z.string(),
    html: z.string(),
    mjml: z.string().nullable(),
    text: z.string().nullable(),
    variables: z.array(z.string()),
    uses: z.array(z.string()),
    updated_at: Instant,
  })
  .meta({ id: 'email.TemplateDraft' })

const present = ({ org_id: _, ...draft }: rows.TemplateDraft): z.input<typeof Draft> => draft

const ofTemplate = {
  path: '/templates/{id}/draft',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Draft,
  problems: ['not_found'],
} as const

export const read = route({
  ...ofTemplate,
  method: 'GET',
  summary: 'Read the draft of a template',
  description: 'Returns the changes that are not published yet, together with the unchanged content.',
  testKeys: 'shared',
  locks: [],
  async handle({ params, org, db }) {
    return present(await mustFind(rows.find(db, org.id, params.id), 'draft'))
  },
})

export const update = route({
  ...ofTemplate,
  method: 'PATCH',
  summary: 'Update the draft of a template',
  description:
    'Creates the draft if the template has none. Omitted fields keep the value of the draft, otherwise of the template. Messages use the draft after you publish it.',
  body: withContentChecks(
    z
      .strictObject(contentFields)
      .partial()
      .refine((body) => Object.values(body).some((value) => value !== undefined), {
        error: 'must contain at least one field to change',
      }),
  ),
  async handle({ params, body, org, db }) {
    const template = await mustFind(templates.find(db, org.id, params.id), 'template')
    const before = (await rows.find(db, org.id, template.id)) ?? template
    const content = await resolveContent(db, template, body, contentOf(before))
    return present(await rows.put(db, org.id, template.id, content))
  },
})

export const remove = removeRoute({
  path: '/templates/{id}/draft',
  summary: 'Delete the draft of a template',
  description: 'Discards the changes. The published template stays as it is.',
  scope: 'email:manage',
  params,
  what: 'draft',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})

export const publish = route({
  method: 'POST',
  path: '/templates/{id}/publish',
  summary: 'Publish the draft of a template',
  description:
    'Replaces the content of the template by its draft, and adds a version. To roll back, restore an earlier version. Messages that were already accepted keep the old content.',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Template,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return presentTemplate(await mustFind(rows.publish(db, org.id, params.id), 'draft'))
  },
})
