import { z } from 'zod'
import { trimmedLine } from '#lib/characters.ts'
import { Address } from '#lib/email-address.ts'
import { Condition, maxConditions } from '#sql/automation/conditions.ts'
import { aliasForm, isTemplateId } from '#tasks/email/rules/templates/names.ts'
import { isEventType, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { hasAllowedBody, jobFields, jobTimeFields } from '../jobs/job-fields.ts'

/** Maximum size of an action as JSON, in bytes. */
const maxAction = 32 * 1024

export const Name = z
  .string()
  .min(1, { abort: true })
  .max(100)
  .regex(trimmedLine, 'must be one line without leading or trailing spaces')

export const EventPattern = z
  .string()
  .max(100)
  .refine((text) => isEventType(text) || (typePatterns.has(text) && text !== '*'), {
    error:
      'must be an event type such as email.bounced, or a pattern such as email.*. /docs/guides/events lists all types.',
  })
  .describe('Event type, or a pattern such as `email.*`')

export const Conditions = z
  .array(Condition)
  .max(maxConditions)
  .describe(`Comparisons with the event’s data, up to ${maxConditions}. All must be true.`)

const Text = z.string().min(1)

const WorkflowForm = z.strictObject({
  type: z.literal('workflow'),
  workflow: z
    .string()
    .max(64)
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'must contain only a–z, 0–9 and -, and must not start with -')
    .describe('Key of a workflow of the notify area'),
  user_id: Text.max(500).describe('Your own ID for the person. For example, `{{event.data.user_id}}`.'),
  title: Text.max(1_000).optional().describe('Title of the notification. Default: the name of the rule.'),
  body: Text.max(10_000).nullable().default(null),
  url: Text.max(2_000).nullable().default(null).describe('URL to open'),
  data: z
    .record(z.string().max(100), z.string().max(2_000))
    .refine((data) => Object.keys(data).length <= 50, { error: 'must have at most 50 fields' })
    .default({})
    .describe('Values for the workflow, by name'),
  email: Text.max(500)
    .nullable()
    .default(null)
    .describe('Recipient of the email copy. Default: the address in the directory of people.'),
})

const TemplateForm = z.strictObject({
  type: z.literal('template'),
  template: z
    .string()
    .refine((given) => isTemplateId(given) || aliasForm.test(given), {
      error: 'must be the ID or the alias of a template',
    })
    .describe('ID or alias of an email template'),
  to: Text.max(500).describe('Recipient. For example, `{{event.data.to}}` or `team@example.com`.'),
  from: Address.nullable().default(null).describe('Sender. Default: `notifications@` your oldest verified domain.'),
  variables: z
    .record(z.string().max(100), z.unknown())
    .refine((variables) => Object.keys(variables).length <= 100, { error: 'must have at most 100 fields' })
    .default({})
    .describe('Values for the template. Texts can contain placeholders.'),
})

/** Start of a placeholder, also in its encoded form in a URL. */
const placeholder = /\{\{|%7B%7B/i

const withoutPlaceholders = 'cannot contain placeholders'

const JobForm = z
  .strictObject({
    type: z.literal('job'),
    ...jobFields,
    body: jobFields.body.describe(
      'Body of the request. Texts can contain placeholders, and a text that is only a placeholder becomes its JSON value. Default: the event.',
    ),
    delay: jobTimeFields.delay.describe('Seconds until the first attempt'),
    dedupe_key: jobTimeFields.dedupe_key,
    dedupe_window: jobTimeFields.dedupe_window,
  })
  .refine(hasAllowedBody, { path: ['body'], message: 'cannot be sent with GET' })
  .refine(({ dedupe_key, dedupe_window }) => dedupe_window === undefined || dedupe_key !== undefined, {
    path: ['dedupe_window'],
    message: 'must be used with `dedupe_key`',
  })
  .refine(({ url }) => !placeholder.test(url), {
    path: ['url'],
    message: `${withoutPlaceholders}. Use \`body\` for values of the event.`,
  })
  .check(({ value: { headers = {} }, issues }) => {
    for (const [name, input] of Object.entries(headers))
      if (placeholder.test(input))
        issues.push({ code: 'custom', path: ['headers', name], message: withoutPlaceholders, input })
  })

export const ActionForm = z
  .discriminatedUnion('type', [WorkflowForm, JobForm, TemplateForm])
  .check(({ value, issues }) => {
    if (Buffer.byteLength(JSON.stringify(value)) > maxAction)
      issues.push({ code: 'custom', message: `must be at most ${maxAction} bytes as JSON`, input: value })
  })
  .describe(
    'What the rule does. Texts can contain placeholders: `{{event.id}}`, `{{event.type}}`, `{{event.timestamp}}` and `{{event.data.…}}`.',
  )

export type ActionForm = z.infer<typeof ActionForm>

export const Mode = z.enum(['live', 'test']).nullable().describe('Mode of the events. `null`: both. Default: `live`.')

export const PerMinute = z.int().min(1).max(6_000).describe('Maximum number of runs per minute. Default: 600.')

export const fields = {
  name: Name,
  event: EventPattern,
  mode: Mode,
  conditions: Conditions,
  action: ActionForm,
  max_per_minute: PerMinute,
}
