import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { Stream } from '#sql/email/messages.ts'
import { Attachments } from './attachments.ts'
import { From, Headers, line, Part, Subject } from './fields.ts'

/** Bytes of a request: attachments in base64, both parts, and what JSON adds to them. */
export const messageBodyLimit = 14 * 1024 * 1024

/** What placeholders of a template stand for. */
export const Variables = z
  .record(z.string(), z.unknown())
  .refine((variables) => Object.keys(variables).length <= 500, { error: 'must have at most 500 fields' })

/** Beside other faults, too, so that one answer names all. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** What a message is made of. */
export const MessageBody = z
  .strictObject({
    stream: Stream.describe(
      '`transactional` and `security` always flow; `subscribed` is marketing; `repermission` asks to confirm',
    ),
    from: From,
    to: Address.describe('One recipient'),
    subject: Subject.optional(),
    text: Part.optional(),
    html: Part.optional().describe('Without `text`, the plain part is made from it'),
    reply_to: Address.optional(),
    headers: Headers.optional(),
    attachments: Attachments.optional(),
    template_id: Id.optional().describe('What is given beside it takes the place of its part'),
    variables: Variables.optional().describe('What the template’s placeholders stand for'),
    idempotency_key: line(255).min(1).optional().describe('The same as the header Idempotency-Key'),
  })
  .refine(({ template_id, variables }) => template_id !== undefined || variables === undefined, {
    path: ['variables'],
    error: 'needs a template_id',
    when,
  })
  .refine(({ template_id, subject }) => template_id !== undefined || subject !== undefined, {
    path: ['subject'],
    error: 'is required without a template_id',
    when,
  })
  .refine(({ template_id, text, html }) => template_id !== undefined || text !== undefined || html !== undefined, {
    path: ['text'],
    error: 'is required, or html, or a template_id',
    when,
  })

export type MessageBody = z.output<typeof MessageBody>
