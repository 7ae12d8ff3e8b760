import { z } from 'zod'
import { toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import { Stream } from '#sql/email/messages.ts'
import { hasTopics } from '#tasks/email/rules/consent/topic-rules.ts'
import { From, Headers, line, Part, Subject, TopicKey, trackingFields } from '../fields.ts'
import { Alias } from '../templates/fields.ts'
import { Attachments } from './attachments.ts'

/** Maximum size of a request in bytes. It includes attachments in base64, both parts, and JSON overhead. */
export const messageBodyLimit = 14 * 1024 * 1024

export const Variables = z
  .record(z.string(), z.unknown())
  .refine((variables) => Object.keys(variables).length <= 500, { error: 'must have at most 500 fields' })

/** Runs even if other checks fail, so that one response contains all faults. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Maximum number of recipients, including the recipient in `to`. */
const maxRecipients = 50

const longestWaitMs = 30 * 24 * 3_600_000

/** Maximum size of the metadata as JSON in bytes. Every event includes the metadata. */
const maxMetadata = 4 * 1024

export const tagPart = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_-]+$/, 'must contain only letters, digits, _ and -')

const Tags = z
  .array(z.strictObject({ name: tagPart, value: tagPart }))
  .max(10)
  .check(({ value, issues }) => {
    const names = value.map(({ name }) => name)
    for (const [i, name] of names.entries()) {
      if (names.indexOf(name) === i) continue
      issues.push({
        code: 'custom',
        message: 'must be different from the other tag names',
        input: value,
        path: [i, 'name'],
      })
    }
  })

const Metadata = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= maxMetadata) return
  const message = `must be at most ${maxMetadata} bytes as JSON, but is ${bytes}`
  issues.push({ code: 'custom', message, input: value })
})

const Copies = z
  .array(WrittenAddress)
  .min(1)
  .max(maxRecipients - 1)

const Fields = z.strictObject({
  stream: Stream.describe(
    'Kind of message. `transactional` and `security` are never paused. `subscribed` is marketing. `repermission` asks contacts to confirm.',
  ),
  from: From,
  to: WrittenAddress.describe('Recipient'),
  cc: Copies.optional().describe(
    'Recipients of a copy that all recipients see. Only for `transactional` and `security`.',
  ),
  bcc: Copies.optional().describe(
    'Bcc recipients, hidden from all others. `to`, `cc` and `bcc` can have up to 50 recipients in total.',
  ),
  subject: Subject.optional(),
  text: Part.optional(),
  html: Part.optional().describe('HTML. Without `text`, the plain text is created from the HTML.'),
  reply_to: WrittenAddress.optional(),
  headers: Headers.optional(),
  attachments: Attachments.optional(),
  template_id: Id.optional().describe(
    'Template. `subject`, `text` and `html` of the message replace the corresponding parts of the template.',
  ),
  template: Alias.optional().describe('Alias of the template, instead of `template_id`'),
  variables: Variables.optional().describe(
    'Values for the template. Liquid templates can use objects and arrays, up to 512 KiB and 20 levels.',
  ),
  send_at: InstantInput.refine((at) => Date.parse(at) <= Date.now() + longestWaitMs, 'must be within 30 days')
    .optional()
    .describe('When to send, up to 30 days ahead. Until then, you can cancel the message.'),
  tags: Tags.optional().describe('Labels for search. Events of the message include the tags.'),
  metadata: Metadata.optional().describe('JSON object of up to 4 KiB. Events of the message include the metadata.'),
  topic: TopicKey.optional().describe(
    'Topic of the message, for the streams `subscribed` and `transactional`. Recipients who are not subscribed to the topic do not receive it.',
  ),
  ...trackingFields,
  idempotency_key: line(255).min(1).optional().describe('Same as the `Idempotency-Key` header'),
})

/** Returns the stored form of an address. Another check reports values that are not strings. */
const stored = (address: unknown) => (typeof address === 'string' ? toStoredForm(address) : address)

/** Rejects repeated addresses. Also rejects copies on marketing streams, because each link belongs to one recipient. */
function checkCopies({ value, issues }: z.core.ParsePayload<z.output<typeof Fields>>): void {
  const { stream, to, cc, bcc } = value
  const seen = new Set([stored(to)])
  for (const [field, given] of Object.entries({ cc, bcc })) {
    const fault = (message: string, path: (string | number)[]) =>
      issues.push({ code: 'custom', message, input: value, path })
    if (given === undefined) continue
    if (stream === 'subscribed' || stream === 'repermission') {
      fault(
        `is only available for transactional and security messages, because a link in ${stream} messages belongs to one recipient`,
        [field],
      )
    }
    if (!Array.isArray(given)) continue
    for (const [i, address] of given.entries()) {
      if (seen.has(stored(address))) fault('must not repeat another recipient', [field, i])
      seen.add(stored(address))
    }
  }
  if (seen.size > maxRecipients) {
    const message = `must not raise the message above ${maxRecipients} recipients`
    issues.push({ code: 'custom', message, input: value, path: ['bcc'] })
  }
}

const hasTemplate = ({ template_id, template }: { template_id?: unknown; template?: unknown }) =>
  template_id !== undefined || template !== undefined

export const MessageBody = Fields.check(checkCopies)
  .refine(({ topic, stream }) => topic === undefined || hasTopics(stream), {
    path: ['topic'],
    error: 'is only available for the streams subscribed and transactional',
    when,
  })
  .refine(({ topic, cc, bcc }) => topic === undefined || (cc === undefined && bcc === undefined), {
    path: ['topic'],
    error: 'cannot be set together with cc or bcc, because the unsubscribe link belongs to one recipient',
    when,
  })
  .refine(({ template_id, template }) => template_id === undefined || template === undefined, {
    path: ['template'],
    error: 'cannot be combined with template_id',
    when,
  })
  .refine((body) => hasTemplate(body) || body.variables === undefined, {
    path: ['variables'],
    error: 'requires a template_id or template',
    when,
  })
  .refine((body) => hasTemplate(body) || body.subject !== undefined, {
    path: ['subject'],
    error: 'is required without a template_id',
    when,
  })
  .refine((body) => hasTemplate(body) || body.text !== undefined || body.html !== undefined, {
    path: ['text'],
    error: 'is required, unless html or a template_id is set',
    when,
  })

export type MessageBody = z.output<typeof MessageBody>

export const BatchMessage = MessageBody.refine(({ idempotency_key }) => idempotency_key === undefined, {
  path: ['idempotency_key'],
  error: 'cannot be set here. Set it once for the batch.',
  when,
})
