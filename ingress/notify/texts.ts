import { z } from 'zod'
import * as rows from '#sql/notify/texts.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { maxSmsText } from '#tasks/notify/rules/accept-sms.ts'
import { faultIn } from '#tasks/notify/rules/text-placeholders.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Body, EventType, Locale, TemplateName, Title } from './fields.ts'
import { demandTemplate } from './templates.ts'

/** Maximum number of texts of an organisation. */
const most = 2_000

const tooMany = problem(409, 'too_many_texts', `An organisation can have up to ${most} texts.`)

const withPlaceholders = (text: z.ZodString) =>
  text.superRefine((given, { addIssue }) => {
    const fault = faultIn(given)
    if (fault) addIssue({ code: 'custom', message: fault })
  })

const TextLocale = Locale.overwrite((tag) => tag.toLowerCase())

const Text = z
  .object({
    type: z.string(),
    locale: z.string(),
    version: z.int(),
    title: z.string(),
    body: z.string().nullable(),
    sms: z.string().nullable().describe('Short text for SMS. `null`: title and body.'),
    template_id: z.string().nullable().describe('ID or alias of the email template'),
    created_at: Instant,
  })
  .meta({ id: 'notify.Text' })

const present = (row: rows.Text): z.input<typeof Text> => {
  const { type, locale, version, title, body, sms, template_id, created_at } = row
  return { type, locale, version, title, body, sms, template_id, created_at }
}

export const put = route({
  method: 'PUT',
  path: '/texts',
  summary: 'Create a version of a text',
  description:
    'New runs use the new version. A run uses the text in the person’s language (`de-AT`, then `de`), then in the workflow’s `fallback_locale`, then the text of the event.',
  scope: 'notify:write',
  body: z.strictObject({
    type: EventType,
    locale: TextLocale,
    title: withPlaceholders(Title).describe(
      'Title with placeholders: `{{data.order}}`, `{{person.name}}`, `{{count}}`',
    ),
    body: withPlaceholders(Body)
      .nullish()
      .describe('Body with placeholders. `{{items}}` contains the titles of a digest.'),
    sms: withPlaceholders(Body.max(maxSmsText))
      .nullish()
      .describe('Short text for SMS with placeholders, up to 480 characters. Default: title and body.'),
    template_id: TemplateName.nullish().describe(
      'Email template for the channel `email`: an ID or an alias. Emails then have the subject and content of the template.',
    ),
  }),
  status: 200,
  reply: Text,
  problems: [tooMany],
  example: {
    body: {
      type: 'order.shipped',
      locale: 'en',
      title: 'Order {{data.order}} is on its way',
      body: 'Dear {{person.name}}, it arrives tomorrow.',
    },
  },
  async handle({ body: { type, locale, title, body, sms = null, template_id = null }, org, db }) {
    await demandTemplate(db, org.id, template_id, 'email', 'body.template_id')
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.texts')
      const key = { org_id: org.id, type, locale }
      const known = await rows.find(tx, key)
      if (!known && (await rows.count(tx, org.id)) >= most) throw tooMany(tooMany.when)
      return present(await rows.put(tx, key, { title, body: body ?? null, sms, template_id }))
    })
  },
})

export const list = listRoute({
  path: '/texts',
  summary: 'List texts, newest first',
  description: 'Returns the titles and bodies stored for event types, by locale.',
  scope: 'notify:read',
  filters: rows.filters,
  query: { type: EventType.optional() },
  item: Text,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

/** Deletes a text. Runs in progress still use it. */
export const remove = route({
  method: 'DELETE',
  path: '/texts',
  summary: 'Delete a text',
  description: 'Deletes the text of this type and language. Workflow runs in progress keep using it.',
  scope: 'notify:write',
  query: z.object({ type: EventType, locale: TextLocale }),
  status: 200,
  reply: z.object({ type: z.string(), locale: z.string(), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ query, org, db }) {
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.texts')
      const key = { org_id: org.id, ...query }
      await mustFind(rows.find(tx, key), 'text')
      await rows.put(tx, key, null)
      return { ...query, deleted: true as const }
    })
  },
})
