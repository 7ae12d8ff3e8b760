import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Message as Row } from '#sql/sms/messages.ts'
import { Instant } from '../http/instant.ts'

export const Status = z.enum(['received', 'queued', 'unknown', 'sent', 'failed', 'undelivered', 'delivered'])

const Failure = z
  .object({
    code: z.string(),
    message: z.string(),
    provider_code: z.string().nullable().describe('Error code of the provider'),
    retryable: z.boolean(),
  })
  .meta({ id: 'sms.Failure' })

export const Message = z
  .object({
    id: Id,
    direction: z.enum(['outbound', 'inbound']),
    to: z.string().nullable().describe('Recipient. For a received message, your number.'),
    from: z.string().nullable().describe('Sender. `null` if the provider chooses it.'),
    text: z.string().nullable().describe('`null` if the message is sensitive'),
    sensitive: z.boolean().describe('True if the text is never shown, and deleted after delivery'),
    encoding: z.enum(['gsm7', 'ucs2']).describe('`ucs2` if a character is not in the GSM alphabet'),
    segments: z.number().describe('Number of parts that the provider bills'),
    keyword: z
      .enum(['stop', 'start', 'help'])
      .nullable()
      .describe('Request of a received message, or the request that this message answers'),
    status: Status.describe(
      '`sent`: the provider accepted the message. `unknown`: it is unclear whether the provider has the message.',
    ),
    error: Failure.nullable(),
    provider_id: Id.nullable(),
    provider_message_id: z.string().nullable().describe('Message ID of the provider'),
    client_reference: z.string().nullable(),
    created_at: Instant,
    sent_at: Instant.nullable().describe('Time at which the provider accepted the message'),
    sandbox: z.literal(true).optional().describe('Present for a test key: recorded as delivered, but not sent'),
  })
  .meta({ id: 'sms.Message' })

export const StatusView = z.object({
  status: z.string(),
  at: Instant.describe('Time at which Millrace received the status'),
  error: Message.shape.error,
})

type Shown = Omit<Row, 'slot_at' | 'tries' | 'created_at' | 'sent_at' | 'error'> & {
  created_at: Date | string
  sent_at?: Date | null
  error?: Row['error']
}

export function present(row: Shown): z.input<typeof Message> {
  const { direction, phone, sender, is_sensitive, status, text, error = null, sent_at = null } = row
  const isOut = direction === 'outbound'
  return {
    id: row.id,
    direction,
    to: isOut ? phone : sender,
    from: isOut ? sender : phone,
    text: is_sensitive ? null : text,
    sensitive: is_sensitive,
    encoding: row.encoding,
    segments: row.segments,
    keyword: row.keyword,
    // A pending request can be sent again, so its status is `queued`.
    status: status === 'sending' ? 'queued' : status,
    error,
    provider_id: row.provider_id,
    provider_message_id: row.provider_message_id,
    client_reference: row.client_reference,
    created_at: row.created_at,
    sent_at,
  }
}
