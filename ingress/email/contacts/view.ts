import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { table as events } from '#sql/email/contacts/events.ts'
import { ContactStatus, type Contact as Row, TopicState } from '#sql/email/contacts.ts'
import { Instant } from '../../http/instant.ts'

const { kind, source, message_id, detail } = events.Row.shape

export const Contact = z
  .object({
    id: Id,
    email: z.string(),
    status: ContactStatus.describe('Only `confirmed` contacts receive the `subscribed` stream'),
    consent_source: z.string().nullable(),
    created_at: Instant,
    confirmed_at: Instant.nullable(),
    unsubscribed_at: Instant.nullable(),
    asked_at: Instant.nullable().describe('When the contact was last asked to confirm'),
    name: z.string().nullable(),
    attributes: z.record(z.string(), z.unknown()).describe('Values for placeholders and segments'),
    tags: z.array(z.string()),
    user_id: z.string().nullable().describe('Your own ID for the person. `null` if the contact is not linked.'),
    topics: z
      .record(z.string(), TopicState)
      .describe('Choices of email topics by key. A topic without a choice has its default.'),
  })
  .meta({ id: 'email.Contact' })

const Evidence = z
  .object({
    source: z.string(),
    given_at: Instant,
    ip: z.string().nullable(),
    text_version: z.string().nullable(),
    consent_text: z.string().nullable().describe('Text of the form to which the person agreed. `null` without a form.'),
    topics: z.array(z.string()),
    import_id: Id.nullable(),
    form_id: Id.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'email.ConsentEvidence' })

export const ContactWithHistory = Contact.extend({
  consents: z.array(Evidence).describe('Evidence of consent, oldest first: up to 100 entries'),
  history: z
    .array(z.object({ at: Instant, kind, source, message_id, detail }))
    .describe('Consent history, oldest first'),
}).meta({ id: 'email.ContactWithHistory' })

/** Returns a contact. Its email address is in the stored form, which paths and filters expect. */
export function present(row: Row): z.input<typeof Contact> {
  const { org_id: _, written: __, ...contact } = row
  return contact
}
