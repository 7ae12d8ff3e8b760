import type { ClaimedMessage } from '#sql/email/claims.ts'
import type { Outcome } from '#sql/email/outcomes.ts'
import { type ClassName, classOf, type ReplyClass } from '../classes.ts'
import type { Refusal } from '../classify.ts'
import { spoken } from '../deciding-reply.ts'
import { retryAfter } from './retry-schedule.ts'

/** What comes of an attempt: for the message, and for its delivery. */
export interface Verdict {
  attempt: 'delivered' | 'sent' | 'deferred' | 'bounced' | 'failed' | 'unknown'
  outcome: Outcome
  /** Milliseconds until the next attempt; null when there is none. */
  retryMs: number | null
  /** Counted before the address is suppressed; undefined where a refusal does that at once, or never. */
  strikes: Exclude<ReplyClass['suppress'], 'always'>
}

/** Within so many milliseconds of its end a message is given up rather than tried again. */
const nearlyOver = 1_000

/** What comes of a message that was taken: by its recipient's own server, or by one that sends it on. */
export const accepted = ({ id }: ClaimedMessage, isSmarthost: boolean): Verdict => {
  const status = isSmarthost ? 'sent' : 'delivered'
  return {
    attempt: status,
    outcome: { messageId: id, status },
    retryMs: null,
    strikes: undefined,
  }
}

/** What comes of a message that was refused, or could not be sent. */
export function refused(message: ClaimedMessage, replyClass: ClassName, refusal: Refusal): Verdict {
  const { id: messageId, attempts, left_ms } = message
  const meaning: ReplyClass = classOf(replyClass)
  const number = attempts + 1
  const reason = spoken(refusal)
  const base = { messageId, replyClass, reason }
  if (meaning.action !== 'retry' || (meaning.tries !== undefined && number >= meaning.tries)) {
    const status = meaning.action === 'fail' ? 'failed' : 'bounced'
    const suppress = meaning.suppress === 'always' ? ('bounce' as const) : undefined
    const strikes = meaning.suppress === 'always' ? undefined : meaning.suppress
    return { attempt: status, outcome: { ...base, status, hard: meaning.hard, suppress }, retryMs: null, strikes }
  }
  if (left_ms < nearlyOver) return expired(message, refusal)
  const attempt = replyClass === 'unanswered' ? 'unknown' : 'deferred'
  return {
    attempt,
    outcome: { ...base, status: 'deferred' },
    retryMs: retryAfter(number, meaning),
    strikes: undefined,
  }
}

/** What comes of a message of which no letter can be made, whoever tries. */
export const unmade = (message: ClaimedMessage, why: string): Verdict =>
  refused(message, 'too_costly', { stage: 'make', code: null, enhanced: null, text: why })

/** What comes of a message over whose sending workers went too often: it may have arrived, and is not sent again. */
export const unsure = ({ id }: ClaimedMessage, workers: number): Verdict => ({
  attempt: 'failed',
  outcome: {
    messageId: id,
    status: 'failed',
    replyClass: 'unanswered',
    reason: `${workers} workers stopped while they sent the message. It may have arrived.`,
  },
  retryMs: null,
  strikes: undefined,
})

/** What comes of a message whose time is over (RFC 3463: 4.4.7). */
export function expired({ id }: ClaimedMessage, last?: Refusal): Verdict {
  const reason = `4.4.7 It could not be delivered in time.${last ? ` The last reply: ${spoken(last)}` : ''}`
  return {
    attempt: 'failed',
    outcome: { messageId: id, status: 'failed', replyClass: 'expired', reason },
    retryMs: null,
    strikes: undefined,
  }
}
