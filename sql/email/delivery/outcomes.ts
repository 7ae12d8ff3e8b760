import { z } from 'zod'
import { allOf, byKey } from '../../by-key.ts'
import { type Db, sql } from '../../db.ts'
import * as suppressions from '../contacts/suppressions.ts'
import * as daily from '../daily.ts'
import { Message, table as messages, Status } from '../messages.ts'
import { isSimulated } from '../simulator.ts'
import * as usage from '../usage.ts'
import * as reputation from './reputation.ts'

export interface Outcome {
  messageId: string
  status: Exclude<Status, 'scheduled' | 'queued'>
  replyClass?: string | undefined
  /** Reason as a sentence. For a rejection, the response of the receiving server. */
  reason?: string | undefined
  /** True if the email address or its domain does not exist. The bounce then counts in the bounce rate. */
  hard?: boolean | undefined
  suppress?: 'bounce' | 'complaint' | undefined
  /** True if the message was counted but never sent. The month’s allowance gets it back. */
  uncounted?: boolean | undefined
}

export const ChangedMessage = Message.extend({ before: Status, hard: z.boolean(), hard_before: z.boolean() })

export type ChangedMessage = z.infer<typeof ChangedMessage>

/** Allowed previous statuses. Bounces and complaints also arrive after delivery. */
const from: Record<Outcome['status'], readonly Status[]> = {
  sent: ['queued', 'deferred'],
  delivered: ['queued', 'deferred', 'sent'],
  deferred: ['queued', 'deferred'],
  bounced: ['queued', 'deferred', 'sent', 'delivered'],
  failed: ['queued', 'deferred'],
  suppressed: ['queued', 'deferred'],
  complained: ['queued', 'deferred', 'sent', 'delivered'],
  cancelled: ['scheduled', 'queued', 'deferred'],
}

/** Allowed status changes, as `before>after`. */
const moves = Object.entries(from).flatMap(([after, before]) => before.map((status) => `${status}>${after}`))

export interface BounceClasses {
  hard: readonly string[]
  /**
   * Classes that suppress immediately. After a bounce of another class, the message can bounce once more with one of
   * these classes.
   */
  final: readonly string[]
}

export interface RecordedOutcomes {
  changed: readonly ChangedMessage[]
  judged: readonly reputation.ReputationVerdict[]
}

/**
 * Records the results of messages: status, daily counts, suppressions, reputation. Each message must occur at most once
 * in `outcomes`. Changes that are not allowed have no effect. A bounced message can bounce once more for a final
 * reason.
 */
export async function record(tx: Db, outcomes: readonly Outcome[], classes: BounceClasses): Promise<RecordedOutcomes> {
  if (outcomes.length === 0) return { changed: [], judged: [] }
  const changed = await move(tx, outcomes, classes)
  await suppressions.insertMany(tx, suppressed(outcomes, changed))
  const counted = changed.filter(({ sandbox }) => !sandbox)
  const uncounted = new Set(outcomes.flatMap((outcome) => (outcome.uncounted ? [outcome.messageId] : [])))
  // Before the daily counts, because accepting messages locks in the same order.
  await usage.giveBack(
    tx,
    counted.filter(({ id }) => uncounted.has(id)),
  )
  const real = counted.filter(({ to_email }) => !isSimulated(to_email))
  await daily.count(tx, real.map(countsOf))
  const doubtful = real.filter((message) => message.hard || message.status === 'complained')
  return { changed, judged: await reputation.evaluate(tx, [...new Set(doubtful.map(({ org_id }) => org_id))].sort()) }
}

async function move(
  tx: Db,
  outcomes: readonly Outcome[],
  { hard: hardClasses, final }: BounceClasses,
): Promise<readonly ChangedMessage[]> {
  const given = outcomes.map(({ messageId, status, replyClass, reason, hard }) => ({
    id: messageId,
    status,
    reply_class: replyClass ?? null,
    reason: reason ?? null,
    hard: hard ?? false,
  }))
  // Locked in a fixed order, so that batches with common messages wait instead of deadlocking. Looked up by key,
  // because a join could scan the whole table.
  return await tx.any(sql.type(ChangedMessage)`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g (id uuid, status text, reply_class text, reason text, hard boolean)
    ), locked as (
      select m.id, m.status as before, m.reply_class as class_before, g.status, g.reply_class, g.reason, g.hard
      from email.messages as m join given as g on ${byKey('m.id', 'g.id', allOf('id', 'given'))}
      order by m.id for update of m
    )
    update email.messages as m
    set status = l.status, reply_class = l.reply_class, reason = l.reason,
      sent_at = case when l.status in ('sent', 'delivered') then coalesce(m.sent_at, now()) else m.sent_at end,
      delivered_at = case when l.status = 'delivered' then now() else m.delivered_at end,
      deferred_at = case when l.status = 'deferred' then coalesce(m.deferred_at, now()) else m.deferred_at end,
      bounced_at = case when l.status = 'bounced' then now() else m.bounced_at end,
      failed_at = case when l.status = 'failed' then now() else m.failed_at end,
      suppressed_at = case when l.status = 'suppressed' then now() else m.suppressed_at end,
      complained_at = case when l.status = 'complained' then now() else m.complained_at end,
      cancelled_at = case when l.status = 'cancelled' then now() else m.cancelled_at end
    from locked as l
    where ${byKey('m.id', 'l.id', allOf('id', 'locked'))} and (l.before || '>' || l.status = any(${sql.array(moves, 'text')})
      or l.before = 'bounced' and l.status = 'bounced' and l.reply_class = any(${sql.array([...final], 'text')})
        and l.class_before <> all(${sql.array([...final], 'text')}))
    returning ${messages.columns('m')}, l.before, l.hard,
      l.before = 'bounced' and coalesce(l.class_before = any(${sql.array([...hardClasses], 'text')}), false) as hard_before`)
}

function suppressed(outcomes: readonly Outcome[], changed: readonly ChangedMessage[]) {
  const wanted = new Map(outcomes.map((outcome) => [outcome.messageId, outcome]))
  return changed.flatMap((message) => {
    const outcome = wanted.get(message.id)
    if (!outcome?.suppress || message.sandbox || isSimulated(message.to_email)) return []
    const { org_id, to_email: email, id: message_id } = message
    return [{ org_id, email, reason: outcome.suppress, message_id, detail: outcome.reason ?? null }]
  })
}

function countsOf({ org_id, stream, created_at, status, before, hard, hard_before }: ChangedMessage): daily.Count {
  const count: daily.Count = { org_id, stream, day: created_at.toISOString().slice(0, 10) }
  // A repeated deferral or bounce is not counted. Cancelled messages are not counted.
  if (status !== before && status !== 'scheduled' && status !== 'queued' && status !== 'cancelled') count[status] = 1
  if (status === 'delivered' && before !== 'sent') count.sent = 1
  if (status === 'bounced' && hard && !hard_before) count.hard_bounced = 1
  const isTaken = status === 'sent' || status === 'delivered'
  const wasTaken = before === 'sent' || before === 'delivered'
  if (isTaken && !wasTaken) count.taken = 1
  // A message that bounces later no longer counts as delivered or taken.
  if (status === 'bounced' && before === 'delivered') count.delivered = -1
  if (status === 'bounced' && wasTaken) count.taken = -1
  return count
}
