import type { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { DisplayName, line, Part, Subject } from '../fields.ts'
import { Syntax } from '../templates/fields.ts'
import { findPartFaults } from './content.ts'

export const campaignFields = {
  name: line(200).min(1),
  subject: Subject.describe('Subject. It can contain placeholders, such as `{{contact.name|"there"}}`.'),
  preheader: line(200)
    .nullable()
    .optional()
    .describe('Preview text that email clients show next to the subject. It is not visible in the email.'),
  html: Part.describe(
    'HTML. Placeholders: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}`',
  ),
  text: Part.nullable().optional().describe('Plain text. Default: created from the HTML.'),
  syntax: Syntax.optional().describe(
    '`placeholders` (default) or `liquid`. Liquid campaigns use `contact`, `unsubscribe_url`, partials and layouts. Missing values are empty.',
  ),
  from_email: Address,
  from_name: DisplayName.nullable().optional(),
  segment_id: Id.nullable().optional().describe('Segment to send to. Omit it to send to all confirmed contacts.'),
}

/** Checks the placeholders of a new campaign, together with its other fields. */
export const withPlaceholderChecks = <T extends z.ZodType>(body: T): T =>
  body.check((context) => {
    const given = context.value as Parameters<typeof findPartFaults>[0]
    if (given.syntax === 'liquid') return
    for (const { field, issue } of findPartFaults(given))
      context.issues.push({ code: 'custom', message: issue, path: [field.slice('body.'.length)], input: given })
  })
