import { parseRetryAfter } from '../errors.ts'
import type { ClaimedRow } from './database.ts'
import { NoReply, type Reply } from './requests.ts'

/** What the application can read about an attempt that was not accepted. */
export interface Refusal {
  status: number | null
  code: string
  message: string
  details?: unknown
}

/**
 * Result of an attempt. `accepted`: Millrace has stored the request. `refused`: it never will. `later`: the row is sent
 * again. `certain` is true if Millrace has certainly not accepted the request.
 *
 * `pause` says who else waits: the rows of the same operation, or all rows.
 */
export type Outcome =
  | { kind: 'accepted'; reply: unknown }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'later'; refusal: Refusal; afterMs: number; certain: boolean; pause?: Pause }

export interface Pause {
  of: 'operation' | 'relay'
  ms: number
}

const [firstMs, mostMs] = [250, 60_000]

/** Longest `Retry-After` for one row. After it, the relay asks again. */
const longestWaitMs = 3_600_000

/** Longest pause of an operation or a relay. After it, the relay sends one row as a test. */
const longestPauseMs = 30_000

/** Returns the delay before the next attempt of a row: it doubles up to a minute, with a random part. */
const backOff = (attempts: number, random = Math.random): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(attempts, 10)) * (0.5 + random() / 2)

/** Codes of limits that belong to the API key or the organisation. Other limits belong to one recipient. */
const generalLimits = new Set(['rate_limited', 'budget_reached', 'monthly_limit_reached'])

/** Returns the outcome of a response. */
export function judgeReply({ status, retryAfter, text }: Reply, { attempts }: ClaimedRow): Outcome {
  if (status >= 200 && status < 300) return { kind: 'accepted', reply: parse(text) }
  const refusal = refusalOf(status, text)
  if (refusal === undefined) return foreign(status, attempts)
  if (status === 401) return paused(refusal, 'relay', 5_000, true)
  const asked = parseRetryAfter(retryAfter ?? null)
  const afterMs = asked === undefined ? backOff(attempts) : Math.min(longestWaitMs, asked * 1000 + Math.random() * 250)
  if (status === 429) {
    const pause = generalLimits.has(refusal.code)
      ? { pause: { of: 'operation' as const, ms: limitPause(afterMs) } }
      : {}
    return { kind: 'later', refusal, afterMs, certain: true, ...pause }
  }
  if (status === 503) {
    const pause = { of: 'operation' as const, ms: limitPause(asked === undefined ? 1_000 : afterMs) }
    return { kind: 'later', refusal, afterMs, certain: false, pause }
  }
  if (status >= 500 || status === 408) return { kind: 'later', refusal, afterMs, certain: false }
  return { kind: 'refused', refusal }
}

/** Returns the outcome of a request without a response. */
export function judgeFailure(failure: unknown, { attempts }: ClaimedRow): Outcome {
  const { message, sent, timedOut } =
    failure instanceof NoReply ? failure : { message: String(failure), sent: true, timedOut: false }
  const refusal = { status: null, code: 'no_response', message: `Millrace did not respond: ${message}.` }
  const later = { kind: 'later' as const, refusal, afterMs: backOff(attempts), certain: !sent }
  return timedOut ? later : { ...later, pause: { of: 'relay', ms: Math.min(5_000, backOff(Math.min(attempts, 4))) } }
}

const limitPause = (ms: number) => Math.min(longestPauseMs, ms)

const paused = (refusal: Refusal, of: Pause['of'], ms: number, certain: boolean): Outcome => ({
  ...{ kind: 'later', refusal, afterMs: 0, certain, pause: { of, ms } },
})

/** A response that Millrace has not written: a wrong URL, or a proxy whose server is unavailable. */
function foreign(status: number, attempts: number): Outcome {
  const message = `The server returned ${status}, without an error of Millrace. Check the URL.`
  const refusal = { status, code: 'not_millrace', message }
  return {
    ...paused(refusal, 'relay', Math.min(5_000, backOff(attempts)), false),
    afterMs: backOff(attempts),
  } as Outcome
}

/** Returns the error object of a response, or undefined if the response has none. */
function refusalOf(status: number, text: string | undefined): Refusal | undefined {
  const { error } = (parse(text) ?? {}) as { error?: { code?: unknown; message?: unknown; details?: unknown } }
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return undefined
  return { status, code: error.code, message: error.message, details: error.details }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined || text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A row whose attempt more than 23 hours ago may have been accepted. */
export const unknownResult: Refusal = {
  status: null,
  code: 'result_unknown',
  message:
    'An attempt more than 23 hours ago had no result, so Millrace may have accepted it. Check this. Then call millrace.retry or millrace.discard.',
}
