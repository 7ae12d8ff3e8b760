import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Media as MediaRow, table as mediaTable } from '#sql/whatsapp/media.ts'
import type { Message as Row } from '#sql/whatsapp/messages.ts'
import { Instant } from '../http/instant.ts'

/** How a message stands, as clients are told. */
export const Status = z.enum(['received', 'queued', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read'])

const Failure = z
  .object({
    code: z.string(),
    message: z.string(),
    provider_code: z.number().nullable().describe('The Cloud API’s error code'),
    retryable: z.boolean(),
  })
  .meta({ id: 'whatsapp.Failure' })

export const Message = z
  .object({
    id: Id,
    provider_message_id: z.string().nullable().describe('wamid.…, once WhatsApp has taken it'),
    direction: z.enum(['outbound', 'inbound']),
    to: z.string().nullable().describe('The recipient in E.164; null for one that came in'),
    from: z.string().nullable().describe('The person that it came from; null for one that went out'),
    wa_id: z.string().describe('The person’s account'),
    type: z.string(),
    content: z.record(z.string(), z.unknown()).describe('What the Cloud API’s message has under the name of its type'),
    status: Status.describe(
      '`accepted` by WhatsApp, `sent` by it, `delivered` and `read`, or `failed`; `unknown` while no answer tells whether WhatsApp has it',
    ),
    error: Failure.nullable(),
    fallback: z.boolean().describe('The fallback template went out in place of the message'),
    fallback_of: Id.nullable().describe('The message that failed later, and in whose place this one went out'),
    context: z.object({ message_id: z.string() }).nullable(),
    client_reference: z.string().nullable(),
    send_at: Instant.describe('When its turn is: messages to one recipient are paced'),
    created_at: Instant,
    sandbox: z.literal(true).optional().describe('Of a test key: recorded as delivered, and sent to nobody'),
  })
  .meta({ id: 'whatsapp.Message' })

/** A person's customer service window. */
export const Window = z
  .object({
    open: z
      .boolean()
      .describe('Free-form messages may go out, whichever organisation of the number the person wrote to'),
    expires_at: Instant.nullable().describe('24 hours from their last message to you; null if it is open by another'),
  })
  .nullable()
  .describe('Of the recipient; null if it is not open and you have no message of theirs')
  .meta({ id: 'whatsapp.Window' })

/** A file that somebody sent, on its way through the malware gate. */
export const Media = z
  .object({
    state: mediaTable.Row.shape.state.describe('`stored`: found clean, and to be had'),
    object_id: Id.nullable().describe('Once it is stored: POST /v1/files/objects/{id}/download-url'),
    reason: z.string().nullable().describe('Why the gate refused it, or it could not be fetched'),
  })
  .meta({ id: 'whatsapp.Media' })

/** A file as clients see it: its object is named once it is clean. */
export const presentMedia = ({ state, object_id, reason }: MediaRow): z.input<typeof Media> => ({
  state,
  object_id: state === 'stored' ? object_id : null,
  reason,
})

/** A message as clients see it. */
export function present(row: Row): z.input<typeof Message> {
  const { direction, phone, status, error, context_message_id, fell_back } = row
  const isOut = direction === 'outbound'
  const { number_id: _, uploads: __, ...shown } = row
  return {
    ...shown,
    to: isOut ? phone : null,
    from: isOut ? null : phone,
    fallback: fell_back,
    // A request under way may yet be one that was never made.
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
