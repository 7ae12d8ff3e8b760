import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/email/attempts.ts'
import { RecipientKind, type Message as Row, Status, Stream, Tag } from '#sql/email/messages.ts'
import { decidingReply, spoken } from '#tasks/email/rules/deciding-reply.ts'
import type { Waiting } from '#tasks/email/rules/waiting.ts'
import { Instant } from '../http/instant.ts'

const Attempt = z
  .object({
    number: z.int(),
    outcome: z
      .enum([...attempts.table.Row.shape.outcome.options, 'waiting'])
      .describe(
        '`unknown`: the connection ended between the final dot and its reply, so the message may have arrived. `waiting`: the next attempt, and why it waits',
      ),
    reply_class: z.string().nullable().describe('What the deciding reply meant'),
    reason: z
      .string()
      .nullable()
      .describe(
        'The reply that decided the attempt. Of `waiting`, why the message waits. `null` when the message was accepted',
      ),
    pool: attempts.table.Row.shape.pool.describe('The addresses that it left from'),
    local_address: z.string().nullable(),
    mx_host: z.string().nullable(),
    mx_address: z.string().nullable(),
    tls: attempts.table.Row.shape.tls,
    replies: z.array(attempts.Reply).describe('Every reply of the other side, with its milliseconds'),
    started_at: Instant.describe('Of `waiting`, when the wait started'),
    ended_at: Instant.describe('Of `waiting`, the earliest time of the next attempt'),
  })
  .meta({ id: 'email.Attempt' })

/** A message without its route, as lists have it. */
export const Summary = z
  .object({
    id: Id,
    message_id: z.string().describe('Message-ID, without its brackets'),
    stream: Stream,
    status: Status,
    from: z.object({ email: z.string(), name: z.string().nullable() }),
    to: z.string(),
    subject: z.string(),
    reply_class: z.string().nullable(),
    reason: z.string().nullable().describe('Why it is as it is; of a refusal, what the other side said'),
    sandbox: z.boolean().describe('Recorded, never delivered'),
    campaign_id: Id.nullable(),
    template_id: Id.nullable(),
    created_at: Instant,
    sent_at: Instant.nullable(),
    delivered_at: Instant.nullable(),
    deferred_at: Instant.nullable(),
    bounced_at: Instant.nullable(),
    failed_at: Instant.nullable(),
    suppressed_at: Instant.nullable(),
    complained_at: Instant.nullable(),
    recipient: RecipientKind.describe('Whether `to` is whom the message is to, or gets a copy'),
    copy_of: Id.nullable().describe('Of a copy: the message that it is of, whose Message-ID it has'),
    send_at: Instant.nullable().describe('When its turn is, of one that was given a time ahead'),
    cancelled_at: Instant.nullable(),
    tags: z.array(Tag).describe('As it was sent with; its events repeat them'),
    metadata: z.record(z.string(), z.unknown()).nullable().describe('As it was sent with; its events repeat it'),
  })
  .meta({ id: 'email.MessageSummary' })

/** A message with its delivery route. */
export const Message = Summary.extend({
  copies: z
    .array(
      z.object({
        id: Id,
        recipient: RecipientKind,
        to: z.string(),
        status: Status,
        reply_class: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    )
    .describe('Its copies to `cc` and `bcc`, each with a status of its own'),
  route: z
    .array(Attempt)
    .describe('Every attempt to deliver the message, oldest first. While the message waits, the last item says why'),
}).meta({ id: 'email.Message' })

/** A message as lists have it; what its schema does not name is left out. */
export const summarize = ({ from_email, from_name, to_email, ...rest }: Row): z.input<typeof Summary> => ({
  ...rest,
  from: { email: from_email, name: from_name },
  to: to_email,
})

/** A message with its copies and its route. */
export const present = (
  message: Row,
  copies: readonly Row[],
  route: readonly attempts.Attempt[],
  waiting: Waiting | null,
): z.input<typeof Message> => ({
  ...summarize(message),
  copies: copies.map(({ id, recipient, to_email: to, status, reply_class, reason }) => ({
    id,
    recipient,
    to,
    status,
    reply_class,
    reason,
  })),
  route: [...route.map(attemptOf), ...(waiting ? [waitOf(waiting)] : [])],
})

const attemptOf = (attempt: attempts.Attempt): z.input<typeof Attempt> => {
  const decision =
    attempt.outcome === 'delivered' || attempt.outcome === 'sent' ? undefined : decidingReply(attempt.replies)
  return { ...attempt, reason: decision ? spoken(decision) : null }
}

const waitOf = ({ number, pool, since, until, reply_class, reason }: Waiting): z.input<typeof Attempt> => ({
  number,
  outcome: 'waiting',
  reply_class,
  reason,
  pool,
  local_address: null,
  mx_host: null,
  mx_address: null,
  tls: null,
  replies: [],
  started_at: since,
  ended_at: until,
})
