import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { ReceivedFile } from '#sql/email/received.ts'
import { ScanStatus } from '#sql/files/objects.ts'

/** Fields of a received email, which the API and the webhook share. */
export const receivedFields = {
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
}

export const receivedTextFields = {
  text: z.string().nullable(),
  reply: z
    .string()
    .nullable()
    .describe(
      'Text without quoted email and signature. If nothing else remains, the whole text. `null` if there is no text.',
    ),
}

export const receivedFileFields = {
  object_id: Id.nullable().describe('ID of the object in the files area'),
  ...ReceivedFile.omit({ object_id: true, refused: true }).shape,
  scan_status: z
    .enum([...ScanStatus.options, 'refused', 'deleted'])
    .describe('Result of the malware scan. `refused`: the file exceeds the limits of the plan.'),
}
