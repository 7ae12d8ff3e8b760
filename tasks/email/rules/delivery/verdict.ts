import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import type { Outcome } from '#sql/email/delivery/outcomes.ts'
import { type ClassName, getReplyClass, type ReplyClass } from '../replies/classes.ts'
import type { Refusal } from '../replies/classify.ts'
import { formatReply } from '../replies/deciding-reply.ts'
import { retryAfter } from './retry-schedule.ts'

export interface Verdict {
  attempt: 'delivered' | 'sent' | 'deferred' | 'bounced' | 'failed' | 'unknown'
  outcome: Outcome
  /** Delay until the next attempt in milliseconds. Null if no attempt follows. */
  retryMs: number | null
  /** Number of rejections before the address is suppressed. Undefined if it is suppressed immediately or never. */
  strikes: Exclude<ReplyClass['suppress'], 'always'>
}

/** If a message has less than this time left, in milliseconds, it is given up instead of retried. */
const nearlyOver = 1_000

export const createAccepted = ({ id }: ClaimedMessage, isSmarthost: boolean): Verdict => {
  const status = isSmarthost ? 'sent' : 'delivered'
  return {
    attempt: status,
    outcome: { messageId: id, status },
    retryMs: null,
    strikes: undefined,
  }
}

export function createRefused(message: ClaimedMessage, replyClass: ClassName, refusal: Refusal): Verdict {
  const { id: messageId, attempts, left_ms } = message
  const meaning: ReplyClass = getReplyClass(replyClass)
  const number = attempts + 1
  const reason = formatReply(refusal)
  const base = { messageId, replyClass, reason }
  if (meaning.action !== 'retry' || (meaning.tries !== undefined && number >= meaning.tries)) {
    const status = meaning.action === 'fail' ? 'failed' : 'bounced'
    const suppress = meaning.suppress === 'always' ? ('bounce' as const) : undefined
    const strikes = meaning.suppress === 'always' ? undefined : meaning.suppress
    return { attempt: status, outcome: { ...base, status, hard: meaning.hard, suppress }, retryMs: null, strikes }
  }
  if (left_ms < nearlyOver) return createExpired(message, refusal)
  const attempt = replyClass === 'unanswered' ? 'unknown' : 'deferred'
  return {
    attempt,
    outcome: { ...base, status: 'deferred' },
    retryMs: retryAfter(number, meaning),
    strikes: undefined,
  }
}

export const createUnmade = (message: ClaimedMessage, why: string): Verdict =>
  createRefused(message, 'too_costly', { stage: 'make', code: null, enhanced: null, text: why })

/**
 * Result for a message whose workers died too often while sending. The message may have been delivered and is not sent
 * again.
 */
export const createUnanswered = ({ id }: ClaimedMessage, workers: number): Verdict => ({
  attempt: 'failed',
  outcome: {
    messageId: id,
    status: 'failed',
    replyClass: 'unanswered',
    reason: `${workers} workers stopped while sending the message. It may have arrived.`,
  },
  retryMs: null,
  strikes: undefined,
})

/** RFC 3463: 4.4.7. */
export function createExpired({ id }: ClaimedMessage, last?: Refusal): Verdict {
  const reason = `4.4.7 It could not be delivered in time.${last ? ` The last reply: ${formatReply(last)}` : ''}`
  return {
    attempt: 'failed',
    outcome: { messageId: id, status: 'failed', replyClass: 'expired', reason },
    retryMs: null,
    strikes: undefined,
  }
}
