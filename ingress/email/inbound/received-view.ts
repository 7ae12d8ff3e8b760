import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/received.ts'
import { type FileView, viewFiles } from '#tasks/email/rules/received/event.ts'
import { receivedFields, receivedFileFields, receivedTextFields } from '#tasks/email/rules/received/fields.ts'
import { Instant } from '../../http/instant.ts'

const File = z
  .object({
    ...receivedFileFields,
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
    ...receivedFields,
    authentication: rows.Authentication.nullable().describe('Results of SPF, DKIM and DMARC'),
    bytes: z.int(),
    is_read: z.boolean().describe('False until the content has been read'),
    fault: z.string().nullable().describe('Reason why part of the email could not be read'),
    received_at: Instant,
  })
  .meta({ id: 'email.ReceivedSummary' })

export const Received = Summary.extend({
  ...receivedTextFields,
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
