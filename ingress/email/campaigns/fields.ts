import type { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import type { Part as PartName } from '#lib/placeholders.ts'
import { findFieldFault } from '#tasks/email/rules/campaigns/merge-fields.ts'
import { DisplayName, line, Part, Subject, TopicKey, trackingFields } from '../fields.ts'

/** Schema of a part that can contain only placeholders which contacts have. */
const personal = <T extends z.ZodType<string>>(name: PartName, part: T) =>
  part.superRefine((text, { addIssue }) => {
    const fault = findFieldFault(name, text)
    if (fault) addIssue({ code: 'custom', message: fault })
  })

export const campaignFields = {
  ...trackingFields,
  name: line(200).min(1),
  subject: personal('subject', Subject).describe(
    'Subject. It can contain placeholders, such as `{{contact.name|"there"}}`.',
  ),
  preheader: personal('subject', line(200))
    .nullable()
    .optional()
    .describe('Preview text that email clients show next to the subject. It is not visible in the email.'),
  html: personal('html', Part).describe(
    'HTML. Placeholders: `{{contact.name|"there"}}`, `{{contact.email}}`, `{{contact.attributes.city}}`, `{{unsubscribe_url}}`',
  ),
  text: personal('text', Part).nullable().optional().describe('Plain text. Default: created from the HTML.'),
  from_email: Address,
  from_name: DisplayName.nullable().optional(),
  segment_id: Id.nullable().optional().describe('Segment to send to. Omit it to send to all confirmed contacts.'),
  topic: TopicKey.nullable().optional().describe('Topic. Contacts who are not subscribed to it receive nothing.'),
}
