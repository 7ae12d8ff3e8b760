import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Authentication, HeaderField } from '#sql/email/received.ts'
import { receivedFields, receivedFileFields, receivedTextFields } from '../../../email/rules/received/fields.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const File = z.strictObject({
  ...receivedFileFields,
  url: z
    .string()
    .nullable()
    .describe('URL for a `POST` request with your key that returns a download URL. `null` unless the file is clean.'),
})

const Received = z.strictObject({
  id: Id.describe('Email ID. `GET /send/v1/received/{id}` returns the whole email.'),
  route_id: Id.describe('Inbound route that accepted the email'),
  ...receivedFields,
  ...receivedTextFields,
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
