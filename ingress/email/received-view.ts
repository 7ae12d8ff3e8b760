import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/received.ts'
import { ScanStatus } from '#sql/files/objects.ts'
import { type FileView, viewFiles } from '#tasks/email/rules/received-event.ts'
import { Instant } from '../http/instant.ts'

const File = z
  .object({
    object_id: Id.nullable().describe('The object of the area files'),
    ...rows.ReceivedFile.omit({ object_id: true, refused: true }).shape,
    scan_status: z
      .enum([...ScanStatus.options, 'refused', 'deleted'])
      .describe('Where it is at the malware gate; `refused`: it does not fit the plan'),
    url: z.string().nullable().describe('POST to it for a link to the bytes; null unless the file is clean'),
  })
  .meta({ id: 'email.ReceivedFile' })

/** A mail without what it says, as lists have it. */
export const Summary = z
  .object({
    id: Id,
    route_id: Id,
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
    authentication: rows.Authentication.nullable().describe('What SPF, DKIM and DMARC say of who it is from'),
    bytes: z.int(),
    is_read: z.boolean().describe('False for the moment until what it says is known'),
    fault: z.string().nullable().describe('Why not all of it could be read'),
    received_at: Instant,
  })
  .meta({ id: 'email.ReceivedSummary' })

/** A mail that came in. */
export const Received = Summary.extend({
  text: z.string().nullable(),
  reply: z
    .string()
    .nullable()
    .describe(
      'The text without quoted mail and signature; the whole text if nothing else is left; `null` without text',
    ),
  html: z.string().nullable().describe('As it came: show it in a sandboxed frame alone'),
  headers: z.array(rows.HeaderField).describe('The fields of its header as they came, unfolded; 200 at most'),
  attachments: z.array(File),
}).meta({ id: 'email.Received' })

/** A mail as lists have it. */
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

/** A mail with its files, each with where it is at the malware gate. */
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
