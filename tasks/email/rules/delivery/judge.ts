import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { isDisconnected } from '#sql/db.ts'
import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import type { Throttle } from '#sql/email/delivery/mx-sets.ts'
import { MessageBuildError, type Route, type SendResult } from '../../engine.ts'
import { type ClassName, getReplyClass, type ReplyClass } from '../replies/classes.ts'
import { classify, type Known, type Refusal } from '../replies/classify.ts'
import { findDecidingReply } from '../replies/deciding-reply.ts'
import { getReplyWords, mentionsAny } from '../replies/words.ts'
import { getHighestLevel, recoveryMs } from './connection-limits.ts'
import { UnsignableError } from './letters.ts'
import { createAccepted, createRefused, createUnmade, type Verdict } from './verdict.ts'

export interface Evaluation {
  verdict: Verdict
  /** True if the next attempt uses another address of the pool. */
  elsewhere: boolean
  /** Slowing of the MX set as seen from this address. */
  slowing: Throttle | undefined
  /** True if no more messages are sent over this connection now. */
  halts: boolean
}

/**
 * Decides what follows from a result. `us`: this installation’s IP addresses and host name, as the servers see them.
 */
export function evaluateResult(
  message: ClaimedMessage,
  result: SendResult,
  route: Route,
  us: readonly string[] = [],
): Evaluation {
  if (result.outcome === 'accepted') {
    return { verdict: createAccepted(message, route.isSmarthost), elsewhere: false, slowing: undefined, halts: false }
  }
  const { replyClass, refusal } = refusalOf(result, route, { message, us })
  const { elsewhere = false } = getReplyClass(replyClass)
  const slow = slowingOf(replyClass, result, mentionsAny(getReplyWords(refusal.text, message).text, us))
  const verdict = createRefused(message, replyClass, refusal)
  const slowing = slow && {
    suspend: slow.suspendMs,
    recovery: recoveryMs,
    highest: getHighestLevel(replyClass, route.preset.connections),
    reply_class: replyClass,
    reason: verdict.outcome.reason ?? replyClass,
  }
  return { verdict, elsewhere, slowing, halts: slowing !== undefined || result.outcome === 'unreachable' }
}

/** An MX set that accepts no session is treated as unreachable, whatever it replies. */
function slowingOf(replyClass: ClassName, { outcome }: SendResult, isNamed: boolean): ReplyClass['slow'] {
  const { slow } = getReplyClass(replyClass)
  if (!slow?.ifNamed || isNamed) return slow
  return outcome === 'unreachable' ? getReplyClass('unreachable').slow : undefined
}

const nobody: Refusal = {
  stage: 'connect',
  code: null,
  enhanced: null,
  text: 'none of its addresses can be reached',
}

/** If no host could be reached, only this message is deferred. */
function refusalOf(
  result: Exclude<SendResult, { outcome: 'accepted' }>,
  route: Route,
  known: Known,
): { replyClass: ClassName; refusal: Refusal } {
  if (result.outcome !== 'unreachable') {
    const { outcome, reply } = result
    return { replyClass: outcome === 'unknown' ? 'unanswered' : classify(reply, known), refusal: reply }
  }
  const { replies, lacksTls } = result
  const refusal = findDecidingReply(replies) ?? nobody
  if (route.tls === 'verified' && lacksTls) return { replyClass: route.isSmarthost ? 'tls' : 'mta_sts', refusal }
  if (refusal.code !== null) return { replyClass: classify(refusal, known), refusal }
  const isDns = replies.length > 0 && replies.every(({ stage }) => stage === 'dns')
  return { replyClass: isDns ? 'dns' : 'unreachable', refusal }
}

/** A message that cannot be created must not block the messages behind it. */
export function evaluateLetterFault(message: ClaimedMessage, error: Error): Verdict {
  if (isDisconnected(error)) throw error
  if (error instanceof MessageBuildError) return createUnmade(message, error.message)
  if (!(error instanceof UnsignableError))
    log.error({ err: describe(error), message_id: message.id }, 'could not build an email for delivery')
  return createRefused(message, 'unsignable', { stage: 'sign', code: null, enhanced: null, text: error.message })
}
