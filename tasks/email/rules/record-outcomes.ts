import type { Db } from '#sql/db.ts'
import { type Outcome, type RecordedOutcomes, record } from '#sql/email/delivery/outcomes.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'
import { type EventMessage, messageData } from './event-data.ts'
import { bounceClasses } from './replies/classes.ts'

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

/** Returns the events of a message. `delivered` also sends `sent`. */
function eventsOf(message: RecordedOutcomes['changed'][number]): EmittedEvent[] {
  const isNews = message.status === 'delivered' && (message.before === 'queued' || message.before === 'deferred')
  if (message.status === 'deferred' && message.before === 'deferred') return []
  if (message.status === 'queued' || message.status === 'scheduled') return []
  const statuses = isNews ? (['sent', message.status] as const) : [message.status]
  return statuses.map((status) => messageEvent(message, status))
}

export const messageEvent = (message: EventMessage, status: 'accepted' | Outcome['status']): EmittedEvent => ({
  orgId: message.org_id,
  type: `email.${status}`,
  data: messageData(message, status),
})
