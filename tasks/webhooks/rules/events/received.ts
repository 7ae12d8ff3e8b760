import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Authentication, HeaderField, ReceivedFile } from '#sql/email/received.ts'
import { ScanStatus } from '#sql/files/objects.ts'
import { kind, sampleId, sampleTime, Time } from './kind.ts'

const File = z.strictObject({
  object_id: Id.nullable().describe('The object of the area files'),
  ...ReceivedFile.omit({ object_id: true, refused: true }).shape,
  scan_status: z.enum([...ScanStatus.options, 'refused', 'deleted']).describe('refused: it does not fit the plan'),
  url: z
    .string()
    .nullable()
    .describe('POST to it with your key for a link to the bytes; null unless the file is clean'),
})

const Received = z.strictObject({
  id: Id.describe('The mail: GET /send/v1/received/{id} has all of it'),
  route_id: Id.describe('The inbound route that took it'),
  recipient: z.string(),
  sender: z.string().describe('Of the envelope (MAIL FROM); empty for a notice of a server'),
  from: z.object({ email: z.string(), name: z.string().nullable() }).nullable(),
  to: z.array(z.string()).describe('Addresses of To and Cc'),
  subject: z.string().nullable(),
  message_id: z.string().nullable().describe('Its Message-ID, without brackets'),
  replies_to: Id.nullable().describe('The message of yours that it answers'),
  auto_submitted: z.boolean().describe('True if a program wrote it (RFC 3834)'),
  no_auto_reply: z
    .boolean()
    .describe('True if no program may answer it: it is automatic, of a mailing list, or asks for none'),
  text: z.string().nullable(),
  reply: z
    .string()
    .nullable()
    .describe(
      'The text without quoted mail and signature; the whole text if nothing else is left; `null` without text',
    ),
  is_cut: z.boolean().describe('The text is longer than an event tells'),
  headers: z.array(HeaderField),
  authentication: Authentication.nullable().describe('What SPF, DKIM and DMARC say of who it is from'),
  attachments: z.array(File),
  fault: z.string().nullable().describe('Why not all of it could be read'),
  received_at: Time,
})

/** What mail that comes in tells of. */
export const received = kind('A mail has come in by one of your inbound routes.', Received, {
  id: sampleId(40),
  route_id: sampleId(41),
  recipient: 'support@example.com',
  sender: 'ada@example.org',
  from: { email: 'ada@example.org', name: 'Ada' },
  to: ['support@example.com'],
  subject: 'Re: Your order',
  message_id: 'CAF0c9@mail.example.org',
  replies_to: sampleId(1),
  auto_submitted: false,
  no_auto_reply: false,
  text: 'It has come, thank you!\n\n> It is on its way.',
  reply: 'It has come, thank you!',
  is_cut: false,
  headers: [{ name: 'Subject', value: 'Re: Your order' }],
  authentication: {
    spf: { result: 'pass', domain: 'example.org' },
    dkim: [{ result: 'pass', domain: 'example.org', selector: 's1', aligned: true }],
    dmarc: { result: 'pass', domain: 'example.org', policy: 'reject' },
  },
  attachments: [
    {
      object_id: sampleId(42),
      filename: 'receipt.pdf',
      content_type: 'application/pdf',
      bytes: 18_402,
      content_id: null,
      inline: false,
      scan_status: 'clean',
      url: `https://api.example.com/send/v1/received/${sampleId(40)}/attachments/${sampleId(42)}/download-url`,
    },
  ],
  fault: null,
  received_at: sampleTime,
})
