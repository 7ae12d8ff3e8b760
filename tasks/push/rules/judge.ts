import { addJitter, getBackOffDelay } from '#lib/retry.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import type { SendableMessage } from '#sql/push/messages.ts'
import type { PushResult } from '../engine.ts'

/** Time in seconds after which no delivery is retried, regardless of the `ttl`. */
const longestRetries = 24 * 3_600

/**
 * Delay in seconds before the second attempt, and maximum delay before later attempts. Apple requires 15 minutes after
 * a 5xx.
 */
const delays = { first: 5, factor: 3, most: 15 * 60 }

/**
 * Number of attempts after which a device with an unsuitable token fails. Otherwise this device alone could keep the
 * breaker open.
 */
const mostSuspect = 3

export interface Verdict {
  status: 'queued' | 'sent' | 'failed' | 'expired' | 'cancelled'
  reason: string | null
  /** Delay in seconds until a queued delivery is due again. */
  delay: number
  attempted: boolean
  refusal?: string
}

/**
 * Returns the verdict for a delivery. If the credential is rejected, the device is not at fault, and its deliveries
 * wait for the breaker. If a Web Push is rejected while other pushes of the batch were accepted (`proven`), the device
 * subscribed with another VAPID key. Only this delivery fails.
 */
export function judgeAnswer(
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
      // Due immediately, because the delivery waits for the breaker.
      return { status: 'queued', reason, delay: 0, attempted: true, refusal: reason }
    case 'retry':
    case 'unknown':
      return answerless(answer, delivery, message, reason)
  }
}

/** Reasons of pushes that were not sent to a server. Such pushes wait without using an attempt. */
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
 * A push to a silent server waits at least a quarter of the time that it has already waited. It uses no attempts, so
 * attempts cannot increase the delay. Thousands of such pushes must not retry every minute.
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
    retryAfter === undefined ? addJitter(getBackOffDelay(delays, attempts), 0.5) : retryAfter * (1 + Math.random() / 10)
  const end = Math.min(expires_at.getTime(), send_at.getTime() + longestRetries * 1000)
  if (Date.now() + delay * 1000 > end) return { status: 'expired', reason, delay: 0, attempted: true }
  return { status: 'queued', reason, delay, attempted: true }
}
