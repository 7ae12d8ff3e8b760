import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Authentication, HeaderField, ReceivedFile } from '#sql/email/received.ts'
import { ScanStatus } from '#sql/files/objects.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const File = z.strictObject({
  object_id: Id.nullable().describe('ID of the object in the files area'),
  ...ReceivedFile.omit({ object_id: true, refused: true }).shape,
  scan_status: z
    .enum([...ScanStatus.options, 'refused', 'deleted'])
    .describe('Result of the malware scan. `refused`: the file exceeds the limits of the plan.'),
  url: z
    .string()
    .nullable()
    .describe('URL for a `POST` request with your key that returns a download URL. `null` unless the file is clean.'),
})

const Received = z.strictObject({
  id: Id.describe('Email ID. `GET /send/v1/received/{id}` returns the whole email.'),
  route_id: Id.describe('Inbound route that accepted the email'),
  recipient: z.string(),
  sender: z.string().describe('Envelope sender (MAIL FROM). Empty for notices from servers.'),
  from: z.object({ email: z.string(), name: z.string().nullable() }).nullable(),
  to: z.array(z.string()).describe('Addresses in the `To` and `Cc` headers'),
  subject: z.string().nullable(),
  message_id: z.string().nullable().describe('Message-ID, without angle brackets'),
  replies_to: Id.nullable().describe('Your message that this email answers'),
  auto_submitted: z.boolean().describe('True if the email was sent automatically (RFC 3834)'),
  no_auto_reply: z
    .boolean()
    .describe(
      'True if automatic replies are not allowed: the email is automatic, comes from a mailing list, or its sender does not want them',
    ),
  text: z.string().nullable(),
  reply: z
    .string()
    .nullable()
    .describe(
      'Text without quoted email and signature. If nothing else remains, the whole text. `null` if there is no text.',
    ),
  is_cut: z.boolean().describe('True if the text was too long for the event and was truncated'),
  headers: z.array(HeaderField),
  authentication: Authentication.nullable().describe('Results of SPF, DKIM and DMARC'),
  attachments: z.array(File),
  fault: z.string().nullable().describe('Reason why part of the email could not be read'),
  received_at: Time,
})

export const received = kind('An inbound route has accepted an email.', Received, {
  id: createSampleId(40),
  route_id: createSampleId(41),
  recipient: 'support@example.com',
  sender: 'ada@example.org',
  from: { email: 'ada@example.org', name: 'Ada' },
  to: ['support@example.com'],
  subject: 'Re: Your order',
  message_id: 'CAF0c9@mail.example.org',
  replies_to: createSampleId(1),
  auto_submitted: false,
  no_auto_reply: false,
  text: 'It has arrived, thank you!\n\n> We have shipped your order.',
  reply: 'It has arrived, thank you!',
  is_cut: false,
  headers: [{ name: 'Subject', value: 'Re: Your order' }],
  authentication: {
    spf: { result: 'pass', domain: 'example.org' },
    dkim: [{ result: 'pass', domain: 'example.org', selector: 's1', aligned: true }],
    dmarc: { result: 'pass', domain: 'example.org', policy: 'reject' },
  },
  attachments: [
    {
      object_id: createSampleId(42),
      filename: 'receipt.pdf',
      content_type: 'application/pdf',
      bytes: 18_402,
      content_id: null,
      inline: false,
      scan_status: 'clean',
      url: `https://api.example.com/send/v1/received/${createSampleId(40)}/attachments/${createSampleId(42)}/download-url`,
    },
  ],
  fault: null,
  received_at: sampleTime,
})
