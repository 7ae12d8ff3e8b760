import { type OutboundClient, ServerTimeoutError } from '#lib/http.ts'
import { OutboundError, type OutboundFault } from '#lib/network/address-guard.ts'
import { replaceNul, toStorableText } from '#lib/outside-text.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import type { Seal } from '#lib/seal.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import type { Target } from '#sql/webhooks/endpoints.ts'
import { signEvent, type WebhookEvent } from './sign.ts'

/** Timeout for the complete response in milliseconds. */
export const timeoutMs = 15_000

/** Maximum size of the response that is read, and that is stored, in bytes. */
const [readBytes, headBytes] = [65_536, 1_024]

export interface Answer {
  outcome: 'delivered' | 'rejected' | 'unsigned' | OutboundFault
  /** Null if the server did not respond. */
  status: number | null
  latencyMs: number
  head: string | null
  headers?: Readonly<Record<string, string>>
  /** Reason for a failure, as a sentence for the owner. */
  error: string | null
  retryAfterMs: number | null
}

const counted = counter('millrace_webhook_deliveries_total', 'Attempts to deliver an event to a webhook.', [
  'area',
  'outcome',
])

interface AttemptTools {
  outbound: OutboundClient
  seal: Seal
  signal: AbortSignal
  /** Organisation for which a server that is not responding is skipped. Undefined to send anyway. */
  holder: string | undefined
}

/**
 * Sends an event to an endpoint once. A 2xx status is a success, even if reading the body fails. Redirects are not
 * followed. Throws `ServerTimeoutError` without sending while the endpoint’s server is not responding to this
 * organisation.
 */
export async function sendEvent(
  target: Target,
  event: WebhookEvent,
  { outbound, seal, signal, holder }: AttemptTools,
): Promise<Answer> {
  const request = signEvent(target, event, seal)
  const begun = performance.now()
  const answer = request ? await post(target.url, request, { outbound, signal, holder }) : unsigned
  counted.inc({ area: target.app_id === null ? (target.area ?? 'all') : 'hooks', outcome: answer.outcome })
  return { ...answer, latencyMs: Math.round(performance.now() - begun) }
}

const nothing = { status: null, latencyMs: 0, head: null, retryAfterMs: null }
const unsigned: Answer = {
  ...nothing,
  outcome: 'unsigned',
  error:
    'The secret or the headers of this endpoint can no longer be read. Rotate the secret and set the headers again.',
}

async function post(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { outbound, signal, holder }: Omit<AttemptTools, 'seal'>,
): Promise<Answer> {
  const limits = { timeout: timeoutMs, maxBytes: readBytes, bodyOptional: true, redirects: 0 } as const
  try {
    const identity = { ...headers, 'accept-encoding': 'identity' }
    const answer = await outbound.request(url, {
      ...limits,
      method: 'POST',
      headers: identity,
      body,
      signal,
      ...(holder && { holder }),
    })
    const { status } = answer
    const isTaken = status >= 200 && status < 300
    return {
      outcome: isTaken ? 'delivered' : 'rejected',
      status,
      latencyMs: 0,
      head: headOf(answer.body),
      headers: shownHeaders(answer.headers),
      error: isTaken ? null : `The endpoint returned ${status}.`,
      retryAfterMs: isTaken ? null : millisecondsOf(parseRetryAfter(answer.headers['retry-after'])),
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error instanceof ServerTimeoutError) throw error
    return { ...nothing, outcome: error.shown, error: error.message }
  }
}

/** Returns the start of a response body without NUL and without a truncated character. */
const headOf = (body: Buffer): string =>
  replaceNul(new TextDecoder().decode(body.subarray(0, headBytes), { stream: true }))

const [maxHeaders, maxHeaderLength] = [30, 300]

/** Returns the headers of a response that are stored. Cookies can be credentials. */
const shownHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !/^(set-cookie|(proxy-|www-)?auth.*)$/.test(name))
      .slice(0, maxHeaders)
      .map(([name, value]) => [name.slice(0, 100), toStorableText([value].flat().join(', '), maxHeaderLength)]),
  )

const millisecondsOf = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000)
