import type { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { DisplayName, line, Part, Subject, TopicKey, trackingFields } from '../fields.ts'
import { Syntax } from '../templates/fields.ts'
import { findPartFaults } from './content.ts'

export const campaignFields = {
  ...trackingFields,
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
  topic: TopicKey.nullable().optional().describe('Topic. Contacts who are not subscribed to it receive nothing.'),
}

type Given = Parameters<typeof findPartFaults>[0]

/** `stored`: the syntax of a body that does not set it. `undefined`: unknown, so the handler checks the placeholders. */
function findFault(given: unknown, part: string, stored?: 'placeholders'): string | undefined {
  const { syntax = stored, ...parts } = given as Given
  if (syntax !== 'placeholders') return undefined
  return findPartFaults(parts).find(({ field }) => field === `body.${part}`)?.issue
}

/** Runs even if other checks fail, so that one response contains all faults. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Checks the placeholders of a campaign together with its other fields, if the syntax is known. See `findFault`. */
export const withPlaceholderChecks = <T extends z.ZodType>(body: T, stored?: 'placeholders'): T =>
  ['subject', 'preheader', 'html', 'text'].reduce<z.ZodType>(
    (checked, part) =>
      checked.refine((given) => findFault(given, part, stored) === undefined, {
        path: [part],
        error: ({ input }) => findFault(input, part, stored) ?? '',
        when,
      }),
    body,
  ) as T
