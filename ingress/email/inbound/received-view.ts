import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/received.ts'
import { ScanStatus } from '#sql/files/objects.ts'
import { type FileView, viewFiles } from '#tasks/email/rules/received/event.ts'
import { Instant } from '../../http/instant.ts'

const File = z
  .object({
    object_id: Id.nullable().describe('ID of the object in the files area'),
    ...rows.ReceivedFile.omit({ object_id: true, refused: true }).shape,
    scan_status: z
      .enum([...ScanStatus.options, 'refused', 'deleted'])
      .describe('Result of the malware scan. `refused`: the file exceeds the limits of the plan.'),
    url: z
      .string()
      .nullable()
      .describe('URL for a `POST` request that returns a download URL. `null` unless the file is clean.'),
  })
  .meta({ id: 'email.ReceivedFile' })

export const Summary = z
  .object({
    id: Id,
    route_id: Id,
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
    authentication: rows.Authentication.nullable().describe('Results of SPF, DKIM and DMARC'),
    bytes: z.int(),
    is_read: z.boolean().describe('False until the content has been read'),
    fault: z.string().nullable().describe('Reason why part of the email could not be read'),
    received_at: Instant,
  })
  .meta({ id: 'email.ReceivedSummary' })

export const Received = Summary.extend({
  text: z.string().nullable(),
  reply: z
    .string()
    .nullable()
    .describe(
      'Text without quoted email and signature. If nothing else remains, the whole text. `null` if there is no text.',
    ),
  html: z.string().nullable().describe('Unchanged HTML. Show it only in a sandboxed frame.'),
  headers: z.array(rows.HeaderField).describe('Header fields as received, unfolded. Up to 200.'),
  attachments: z.array(File),
}).meta({ id: 'email.Received' })

export const summarize = (row: rows.ReceivedSummary): z.input<typeof Summary> => ({
  id: row.id,
  route_id: row.route_id,
  recipient: row.recipient,
  sender: row.sender,
  from: row.from_email === null ? null : { email: row.from_email, name: row.from_name },
  to: row.to_emails,
  subject: row.subject,
  message_id: row.message_id,
  replies_to: row.replies_to,
  auto_submitted: row.auto_submitted,
  no_auto_reply: row.no_auto_reply,
  authentication: row.authentication,
  bytes: row.bytes,
  is_read: row.status !== 'taken',
  fault: row.fault,
  received_at: row.created_at,
})

export const present = (
  row: rows.Received,
  states: Parameters<typeof viewFiles>[1],
): z.input<typeof Received> & { attachments: FileView[] } => ({
  ...summarize(row),
  text: row.text,
  reply: row.reply,
  html: row.html,
  headers: row.headers,
  attachments: viewFiles(row, states),
})
