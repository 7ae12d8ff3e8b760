import { Problem } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'

export interface ConcurrencyLimit {
  requests: number
  ofOne: number
}

const retryAfter = 2

function tooMany(max: number): Problem {
  const message = 'Too many of these requests are in progress. Retry this request in a moment.'
  return new Problem(429, 'rate_limited', message, { retryAfter, details: { limit: 'at_once', max } })
}

/**
 * Creates the function that reserves a place for a request before its body is read. The function throws 429 if no place
 * is available.
 */
export function createConcurrencyLimiter({ requests, ofOne }: ConcurrencyLimit): (orgId: string) => Disposable {
  const slots = createFairSlots({ slots: requests, slotsOfOne: ofOne })
  return (orgId) => {
    const slot = slots.tryTake(orgId)
    if (!slot) throw tooMany(ofOne)
    return slot
  }
}

interface Line {
  ofOne: number
  inLine: number
  waitMs: number
}

/**
 * Creates the function that waits for earlier requests of the organisation. The function throws 429 if that takes too
 * long.
 */
export function createQueueLimiter({ ofOne, inLine, waitMs }: Line): (orgId: string) => Promise<Disposable> {
  const slots = createFairSlots({ slots: Number.POSITIVE_INFINITY, slotsOfOne: ofOne, waitingOfOne: inLine })
  const wait = (orgId: string) =>
    slots.take(orgId, AbortSignal.timeout(waitMs)).catch(() => {
      throw tooMany(ofOne)
    })
  return async (orgId) => slots.tryTake(orgId) ?? (await wait(orgId))
}
