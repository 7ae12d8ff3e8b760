import { backOff, jittered } from '#lib/retry.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import type { SendableMessage } from '#sql/push/messages.ts'
import type { PushResult } from '../engine.ts'

/** Seconds after which nothing is sent again, whatever the `ttl` is. */
const longestRetries = 24 * 3_600

/** Seconds before the second attempt and at most before a later one; Apple asks for 15 minutes after a 5xx. */
const delays = { first: 5, factor: 3, most: 15 * 60 }

/** Attempts after which a device whose token does not fit waits no longer: it alone would keep the breaker open. */
const mostSuspect = 3

/** What a provider's answer means for a delivery. */
export interface Verdict {
  status: 'queued' | 'sent' | 'failed' | 'expired' | 'cancelled'
  reason: string | null
  /** Seconds until a queued one is due again. */
  delay: number
  attempted: boolean
  /** Why the credential was refused, when it was. */
  refusal?: string
}

/**
 * What becomes of a delivery. A refused credential says nothing of the device: its deliveries wait for the breaker. A web push
 * that is refused while others of the batch were taken (`proven`) was subscribed with another VAPID key and fails alone.
 */
export function judge(
  answer: PushResult,
  delivery: Pick<ClaimedDelivery, 'attempts' | 'provider'>,
  message: Pick<SendableMessage, 'expires_at' | 'send_at' | 'dry_run'>,
  proven: boolean,
): Verdict {
  const reason = answer.reason ?? answer.outcome
  switch (answer.outcome) {
    case 'sent':
      return { status: 'sent', reason: message.dry_run ? 'dry_run' : null, delay: 0, attempted: true }
    case 'invalid_token':
    case 'rejected':
      return { status: 'failed', reason, delay: 0, attempted: true }
    case 'credential':
      if (proven && delivery.provider === 'webpush') return { status: 'failed', reason, delay: 0, attempted: true }
      if (proven) return again(answer, delivery, message, reason)
      if (answer.suspect && delivery.attempts >= mostSuspect) {
        return { status: 'failed', reason, delay: 0, attempted: true, refusal: reason }
      }
      // Due at once: it is the breaker that it waits for.
      return { status: 'queued', reason, delay: 0, attempted: true, refusal: reason }
    case 'retry':
    case 'unknown':
      return answerless(answer, delivery, message, reason)
  }
}

/** Reasons of pushes that no server was given: they wait at no cost of an attempt. */
const notAsked = new Set(['not_sent', 'server_silent'])

function answerless(
  answer: PushResult,
  delivery: Pick<ClaimedDelivery, 'attempts'>,
  message: Pick<SendableMessage, 'expires_at' | 'send_at'>,
  reason: string,
): Verdict {
  if (!notAsked.has(reason)) return again(answer, delivery, message, reason)
  const wait = reason === 'server_silent' ? ofSilent(answer, message) : answer
  return { ...again(wait, delivery, message, reason), attempted: false }
}

/**
 * A push whose server is silent waits at least a quarter of the time for which it has waited already. It uses no attempts by which its
 * delays would grow, and thousands of such pushes must not come back each minute.
 */
function ofSilent(
  { retryAfter = 0 }: PushResult,
  { send_at }: Pick<SendableMessage, 'send_at'>,
): Pick<PushResult, 'retryAfter'> {
  const waited = (Date.now() - send_at.getTime()) / 1000
  return { retryAfter: Math.max(retryAfter, Math.min(delays.most, waited / 4)) }
}

function again(
  { retryAfter }: Pick<PushResult, 'retryAfter'>,
  { attempts }: Pick<ClaimedDelivery, 'attempts'>,
  { expires_at, send_at }: Pick<SendableMessage, 'expires_at' | 'send_at'>,
  reason: string,
): Verdict {
  const delay =
    retryAfter === undefined ? jittered(backOff(delays, attempts), 0.5) : retryAfter * (1 + Math.random() / 10)
  const end = Math.min(expires_at.getTime(), send_at.getTime() + longestRetries * 1000)
  if (Date.now() + delay * 1000 > end) return { status: 'expired', reason, delay: 0, attempted: true }
  return { status: 'queued', reason, delay, attempted: true }
}
