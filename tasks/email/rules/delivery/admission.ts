import type { DatabasePool } from '#sql/db.ts'
import { type AdmissionFacts, findAdmissionFacts } from '#sql/email/admission.ts'
import { appliesTo } from '#sql/email/contacts/suppressions.ts'
import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import type { Stream } from '#sql/email/messages.ts'
import { getRecipientRefusal } from '../consent/stream-rules.ts'
import { createExpired, createUnanswered, createUnmade, type Verdict } from './verdict.ts'

const heldMs = 15 * 60_000

/** Maximum number of workers that may die while they create a message: one may die for another reason, and one more. */
const mostLosses = 2

/**
 * Maximum number of further workers that may die while they send the message. The cause is less certain, and the
 * message may have been delivered.
 */
const mostSendingLosses = 5

const most = 200

/**
 * Checks directly before each attempt whether a message may still be sent. While messages wait, contacts unsubscribe,
 * campaigns are cancelled and addresses are suppressed. Checks of several connections within one tick share one query.
 */
export class Admission {
  readonly #db: DatabasePool
  #waiting: {
    message: ClaimedMessage
    done: (verdict: Verdict | undefined) => void
    failed: (error: Error) => void
  }[] = []

  constructor(db: DatabasePool) {
    this.#db = db
  }

  /** Returns why a message cannot be sent. Undefined if it can be sent. */
  look(message: ClaimedMessage): Promise<Verdict | undefined> {
    return new Promise((done, failed) => {
      this.#waiting.push({ message, done, failed })
      if (this.#waiting.length === 1) setImmediate(() => void this.#work())
    })
  }

  /** Returns the messages of a batch that cannot be sent. */
  async stopped(messages: readonly ClaimedMessage[]): Promise<ReadonlyMap<string, Verdict>> {
    return await stopped(this.#db, messages)
  }

  async #work(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    for (let from = 0; from < asked.length; from += most) {
      const group = asked.slice(from, from + most)
      try {
        const found = await stopped(
          this.#db,
          group.map(({ message }) => message),
        )
        for (const { message, done } of group) done(found.get(message.id))
      } catch (error) {
        for (const { failed } of group) failed(error as Error)
      }
    }
  }
}

async function stopped(db: DatabasePool, messages: readonly ClaimedMessage[]): Promise<ReadonlyMap<string, Verdict>> {
  const found = await findAdmissionFacts(
    db,
    messages.map(({ id }) => id),
  )
  const known = new Map(found.map((standing) => [standing.id, standing]))
  return new Map(
    messages.flatMap((message) => {
      const verdict = judge(message, known.get(message.id))
      return verdict ? [[message.id, verdict] as const] : []
    }),
  )
}

function judge(message: ClaimedMessage, now: AdmissionFacts | undefined): Verdict | undefined {
  // The message was deleted or reached a final status, such as a bounce. Only its delivery is deleted.
  if (!now || (now.status !== 'queued' && now.status !== 'deferred')) return createExpired(message)
  if (message.losses >= mostLosses)
    return createUnmade(message, `${mostLosses} workers stopped while creating the message.`)
  if (message.sending_losses >= mostSendingLosses)
    return createUnanswered(message, message.losses + message.sending_losses)
  if (now.campaign_cancelled) return ended(message, 'failed', 'cancelled', 'The campaign was cancelled.')
  const suppression = now.suppressions.find((reason) => appliesTo(reason, message.stream))
  if (suppression) return ended(message, 'suppressed', undefined, `The address is suppressed (${suppression}).`)
  const refusal = refusalNow(message.stream, message.to_email, now)
  if (refusal?.why === 'marketing_paused') return held(message, refusal.why, 'Marketing is paused.')
  if (refusal) return ended(message, 'suppressed', refusal.why, refusal.message)
  if (now.topic_refused)
    return ended(message, 'suppressed', 'topic_unsubscribed', 'The recipient is not subscribed to the topic.')
  if (now.domain_failed) return held(message, 'domain_not_verified', 'The domain is no longer verified.')
  return undefined
}

const refusalNow = (stream: Stream, email: string, { contact, marketing_paused }: AdmissionFacts) =>
  getRecipientRefusal(stream, contact === null ? undefined : { email, status: contact }, marketing_paused)

/** The message was never sent, so it does not count in the month. */
function ended(
  { id: messageId }: ClaimedMessage,
  status: 'failed' | 'suppressed',
  replyClass: string | undefined,
  reason: string,
): Verdict {
  return {
    attempt: 'failed',
    outcome: { messageId, status, replyClass, reason, uncounted: true },
    retryMs: null,
    strikes: undefined,
  }
}

function held(message: ClaimedMessage, replyClass: string, reason: string): Verdict {
  if (message.left_ms < 0) return createExpired(message)
  return {
    attempt: 'deferred',
    outcome: { messageId: message.id, status: 'deferred', replyClass, reason },
    retryMs: heldMs,
    strikes: undefined,
  }
}
