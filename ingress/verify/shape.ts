import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/verify/verifications.ts'
import { maskRecipient } from '#tasks/verify/rules/recipients.ts'
import { Instant } from '../http/instant.ts'

export const Started = z
  .object({
    id: Id,
    status: z.enum(rows.statuses),
    channel: rows.Channel.describe('Channel of the last code'),
    channels: z.array(rows.Channel).describe('Channels in the order in which they are used if a delivery fails'),
    to: z.string().describe('Recipient, partly masked'),
    user_id: z.string().nullable(),
    brand: z.string().nullable(),
    locale: z.string().nullable(),
    code_length: z.int(),
    ttl: z.int().describe('Time in seconds for which a code is valid'),
    metadata: z.record(z.string(), z.string()),
    ip: z.string().nullable(),
    attempts_left: z.int(),
    sends_left: z.int().describe('Number of further codes that can be requested'),
    resend_after: Instant.describe('Earliest time of the next code'),
    expires_at: Instant,
    created_at: Instant,
    sandbox: z.literal(true).optional().describe('Present for a test key: the code is only in the test inbox'),
  })
  .meta({ id: 'verify.Started' })

export const Verification = Started.extend({
  delivery: z
    .enum(['queued', 'sent', 'delivered', 'failed', 'blocked'])
    .describe('State of the last code. `blocked`: the range of the phone number gets no codes.'),
  reason: z
    .string()
    .nullable()
    .describe('Reason of a failure. For example, `suppressed`, `no_answer`, `prefix_blocked` or `too_many_attempts`.'),
  message_id: Id.nullable().describe('ID of the message or call of the last code, in the area of its channel'),
  country: z.string().nullable().describe('ISO 3166 country of the phone number'),
  guarded: z.boolean().describe('True if a Guard token was used'),
  sent_at: Instant.nullable(),
  ended_at: Instant.nullable(),
}).meta({ id: 'verify.Verification' })

/**
 * Returns the response to a start. It is the same for all recipients: it does not show whether the recipient can be
 * reached or is blocked.
 */
export const presentStarted = (row: rows.Verification): z.input<typeof Started> => ({
  id: row.id,
  status: 'pending',
  channel: row.channel,
  channels: row.channels,
  to: maskRecipient(row.recipient),
  user_id: row.user_id,
  brand: row.brand,
  locale: row.locale,
  code_length: row.code_length,
  ttl: row.ttl,
  metadata: row.metadata,
  ip: row.ip,
  attempts_left: row.max_attempts - row.attempts,
  sends_left: row.max_sends - row.sends,
  resend_after: row.resend_at,
  expires_at: row.expires_at,
  created_at: row.created_at,
  ...(row.sandbox && { sandbox: true }),
})

export const present = (row: rows.Verification): z.input<typeof Verification> => ({
  ...presentStarted(row),
  status: row.shown,
  delivery: row.delivery,
  reason: row.reason,
  message_id: row.message_id,
  country: row.country,
  guarded: row.guarded,
  sent_at: row.sent_at,
  ended_at: row.ended_at,
})
