import type { DatabasePool } from '#sql/db.ts'
import type { Claimed } from '#sql/email/claims.ts'
import { pausedAmong } from '#sql/email/reputation.ts'
import { findMany, holdsFor } from '#sql/email/suppressions.ts'
import { expired, unmade, type Verdict } from './outcomes/verdict.ts'

/** Milliseconds after which it is looked again whether marketing is resumed. */
const pausedMs = 15 * 60_000

/** So many workers may go while they are at a message: one that goes for another reason, and one more. */
const mostLosses = 2

/** Those of some messages that are not to be sent any more, or not now, though they were when they were accepted. */
export async function stopped(db: DatabasePool, messages: readonly Claimed[]): Promise<ReadonlyMap<string, Verdict>> {
  const found = new Map<string, Verdict>()
  const subscribed = messages.filter(({ stream }) => stream === 'subscribed')
  const [suppressions, paused] = await Promise.all([
    findMany(
      db,
      messages.map(({ org_id, to_email: email }) => ({ org_id, email })),
    ),
    subscribed.length > 0 ? pausedAmong(db, [...new Set(subscribed.map(({ org_id }) => org_id))]) : new Set<string>(),
  ])
  for (const message of messages) {
    const { id, org_id, to_email, stream, status } = message
    const suppression = suppressions.find(
      ({ org_id: org, email, reason }) => org === org_id && email === to_email && holdsFor(reason, stream),
    )
    // It came to an end on another way, such as a bounce: the delivery goes, and the message stays as it is.
    if (status !== 'queued' && status !== 'deferred') found.set(id, expired(message))
    else if (message.losses >= mostLosses)
      found.set(id, unmade(message, `${mostLosses} workers went while they were at it.`))
    else if (suppression) found.set(id, suppressed(id, suppression.reason))
    else if (stream === 'subscribed' && paused.has(org_id)) found.set(id, held(message))
  }
  return found
}

const suppressed = (messageId: string, reason: string): Verdict => ({
  attempt: 'failed',
  outcome: { messageId, status: 'suppressed', reason: `The address is suppressed (${reason}).` },
  retryMs: null,
  strikes: undefined,
})

function held(message: Claimed): Verdict {
  if (message.left_ms < 0) return expired(message)
  return {
    attempt: 'deferred',
    outcome: {
      messageId: message.id,
      status: 'deferred',
      replyClass: 'marketing_paused',
      reason: 'Marketing is paused.',
    },
    retryMs: pausedMs,
    strikes: undefined,
  }
}
