import type { Db } from '#sql/db.ts'
import type { NewMessage } from '#sql/email/messages.ts'
import { type Outcome, type RecordedOutcomes, record } from '#sql/email/outcomes.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'
import { bounceClasses } from './classes.ts'

/** Records what became of messages, and tells webhooks, in the caller's transaction. */
export async function recordOutcomes(tx: Db, outcomes: readonly Outcome[]): Promise<RecordedOutcomes> {
  const recorded = await record(tx, outcomes, bounceClasses)
  const judged = recorded.judged.map(
    ({ org_id, verdict, reason }): EmittedEvent => ({
      orgId: org_id,
      type: verdict === 'paused' ? 'email.marketing.paused' : 'email.reputation.warning',
      data: { reason },
    }),
  )
  await emitMany(tx, [...recorded.changed.flatMap(eventsOf), ...judged])
  return recorded
}

/** The event of a message's status; a message that its recipient's own server took was sent, too. */
function eventsOf(message: RecordedOutcomes['changed'][number]): EmittedEvent[] {
  const isNews = message.status === 'delivered' && (message.before === 'queued' || message.before === 'deferred')
  if (message.status === 'deferred' && message.before === 'deferred') return []
  if (message.status === 'queued' || message.status === 'scheduled') return []
  const statuses = isNews ? (['sent', message.status] as const) : [message.status]
  return statuses.map((status) => messageEvent(message, status))
}

/** What an event says of a message. */
type EventMessage = Omit<NewMessage, 'status' | 'send_at'> & {
  reply_class?: string | null
  send_at?: string | Date | null
}

/** An event about a message. */
export const messageEvent = (message: EventMessage, status: 'accepted' | Outcome['status']): EmittedEvent => ({
  orgId: message.org_id,
  type: `email.${status}`,
  data: {
    id: message.id,
    message_id: message.message_id,
    stream: message.stream,
    from: message.from_email,
    to: message.to_email,
    subject: message.subject,
    status,
    campaign_id: message.campaign_id,
    reply_class: message.reply_class ?? null,
    reason: message.reason,
    sandbox: message.sandbox,
    recipient: message.recipient ?? 'to',
    copy_of: message.copy_of ?? null,
    send_at: message.send_at ? new Date(message.send_at).toISOString() : null,
    tags: message.tags ?? [],
    metadata: message.metadata ?? null,
  },
})
