import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import type * as engagements from '#sql/email/engagements.ts'
import { RecipientKind, type Message as Row, Status, Stream, Tag } from '#sql/email/messages.ts'
import { findDecidingReply, formatReply } from '#tasks/email/rules/replies/deciding-reply.ts'
import type { Waiting } from '#tasks/email/rules/waiting.ts'
import { Instant } from '../../http/instant.ts'
import { Engagement, presentEngagement } from './engagement.ts'

const Attempt = z
  .object({
    number: z.int(),
    outcome: z
      .enum([...attempts.table.Row.shape.outcome.options, 'waiting'])
      .describe(
        '`unknown`: the connection ended before the reply to the final dot, so the message may have arrived. `waiting`: the next attempt and the reason for the delay.',
      ),
    reply_class: z.string().nullable().describe('Class of the deciding reply'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Reply that decided the attempt. For `waiting`, the reason for the delay. `null` if the message was accepted.',
      ),
    pool: attempts.table.Row.shape.pool.describe('IP address pool that sent the message'),
    local_address: z.string().nullable(),
    mx_host: z.string().nullable(),
    mx_address: z.string().nullable(),
    tls: attempts.table.Row.shape.tls,
    replies: z.array(attempts.Reply).describe('Every reply from the receiving server, with its time in milliseconds'),
    started_at: Instant.describe('For `waiting`, the start of the wait'),
    ended_at: Instant.describe('For `waiting`, the earliest time of the next attempt'),
  })
  .meta({ id: 'email.Attempt' })

export const Summary = z
  .object({
    id: Id,
    message_id: z.string().describe('Message-ID, without angle brackets'),
    stream: Stream,
    status: Status,
    from: z.object({ email: z.string(), name: z.string().nullable() }),
    to: z.string(),
    subject: z.string(),
    reply_class: z.string().nullable(),
    reason: z
      .string()
      .nullable()
      .describe('Reason for the status. For a bounce, the response from the receiving server.'),
    sandbox: z.boolean().describe('True for a test key: recorded, not delivered'),
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
    recipient: RecipientKind.describe('`to`, or the kind of copy'),
    resent_from: Id.nullable().describe('Message whose content this message repeats. `null` if it was not resent.'),
    copy_of: Id.nullable().describe('For a copy, the ID of the original message. Both have the same Message-ID.'),
    send_at: Instant.nullable().describe('Scheduled time. `null` if the message was not scheduled.'),
    cancelled_at: Instant.nullable(),
    tags: z.array(Tag).describe('Tags of the request. Events include the tags.'),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Metadata of the request. Events include the metadata.'),
    topic: z.string().nullable().describe('Key of the topic. `null` without a topic.'),
    track_opens: z.boolean().nullable().describe('As in the request. `null`: the setting of the domain.'),
    track_clicks: z.boolean().nullable().describe('As in the request. `null`: the setting of the domain.'),
  })
  .meta({ id: 'email.MessageSummary' })

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
    .describe('Copies to `cc` and `bcc`, each with its own status'),
  route: z
    .array(Attempt)
    .describe('Every delivery attempt, oldest first. While the message is waiting, the last item contains the reason.'),
  engagement: Engagement.describe('Opens and clicks of this message, without its copies'),
}).meta({ id: 'email.Message' })

/** The schema removes fields that it does not contain. */
export const summarize = ({ from_email, from_name, to_email, ...rest }: Row): z.input<typeof Summary> => ({
  ...rest,
  from: { email: from_email, name: from_name },
  to: to_email,
})

export const present = (
  message: Row,
  copies: readonly Row[],
  route: readonly attempts.Attempt[],
  waiting: Waiting | null,
  engaged: readonly engagements.Engagement[],
): z.input<typeof Message> => ({
  ...summarize(message),
  engagement: presentEngagement(engaged),
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
    attempt.outcome === 'delivered' || attempt.outcome === 'sent' ? undefined : findDecidingReply(attempt.replies)
  return { ...attempt, reason: decision ? formatReply(decision) : null }
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
