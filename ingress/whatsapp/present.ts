import { z } from 'zod'
import { changeHidden, maskHidden } from '#lib/hidden-text.ts'
import { Id } from '#lib/ids.ts'
import { type Media as MediaRow, table as mediaTable } from '#sql/whatsapp/media.ts'
import type { Message as Row } from '#sql/whatsapp/messages.ts'
import { Instant } from '../http/instant.ts'

export const Status = z.enum(['received', 'queued', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read'])

const Failure = z
  .object({
    code: z.string(),
    message: z.string(),
    provider_code: z.number().nullable().describe('Error code of the Cloud API'),
    retryable: z.boolean(),
  })
  .meta({ id: 'whatsapp.Failure' })

export const Message = z
  .object({
    id: Id,
    provider_message_id: z
      .string()
      .nullable()
      .describe('WhatsApp message ID (`wamid.…`). `null` until WhatsApp has accepted the message.'),
    direction: z.enum(['outbound', 'inbound']),
    to: z.string().nullable().describe('Recipient in E.164 format. `null` for a received message.'),
    from: z.string().nullable().describe('Sender in E.164 format. `null` for a sent message.'),
    wa_id: z.string().describe('WhatsApp account of the person'),
    type: z.string(),
    content: z.record(z.string(), z.unknown()).describe('Content of the Cloud API message, under the name of its type'),
    status: Status.describe(
      '`accepted` or `sent` by WhatsApp, `delivered`, `read`, or `failed`. `unknown` while it is unclear whether WhatsApp has the message.',
    ),
    error: Failure.nullable(),
    fallback: z.boolean().describe('True if the fallback template was sent instead of the message'),
    fallback_of: Id.nullable().describe('Failed message that this message replaces'),
    context: z.object({ message_id: z.string() }).nullable(),
    client_reference: z.string().nullable(),
    send_at: Instant.describe('Planned send time. Messages to one recipient are paced.'),
    created_at: Instant,
    sandbox: z.literal(true).optional().describe('Present for a test key: recorded as delivered, but not sent'),
  })
  .meta({ id: 'whatsapp.Message' })

export const Window = z
  .object({
    open: z
      .boolean()
      .describe(
        'True if you can send free-form messages, no matter to which organisation of the number the person wrote',
      ),
    expires_at: Instant.nullable().describe(
      '24 hours after the person’s last message to you. `null` if a message to a different organisation opened the window.',
    ),
  })
  .nullable()
  .describe('Window of the recipient. `null` if the window is closed and you have no message from the recipient.')
  .meta({ id: 'whatsapp.Window' })

export const Media = z
  .object({
    state: mediaTable.Row.shape.state.describe('`stored`: the file is clean and available'),
    object_id: Id.nullable().describe(
      'Object of the stored file. Download it with `POST /v1/files/objects/{id}/download-url`.',
    ),
    reason: z.string().nullable().describe('Reason why the file was rejected or could not be fetched'),
  })
  .meta({ id: 'whatsapp.Media' })

export const presentMedia = ({ state, object_id, reason }: MediaRow): z.input<typeof Media> => ({
  state,
  object_id: state === 'stored' ? object_id : null,
  reason,
})

export function present(row: Row): z.input<typeof Message> {
  const { direction, phone, status, error, context_message_id, fell_back } = row
  const isOut = direction === 'outbound'
  const { number_id: _, uploads: __, ...shown } = row
  return {
    ...shown,
    content: changeHidden(row.content, maskHidden),
    to: isOut ? phone : null,
    from: isOut ? null : phone,
    fallback: fell_back,
    // A pending request can be sent again, so its status is `queued`.
    status: status === 'sending' ? 'queued' : status,
    error: error && {
      code: error.code,
      message: error.message,
      provider_code: error.provider_code,
      retryable: error.retryable,
    },
    context: context_message_id === null ? null : { message_id: context_message_id },
  }
}
