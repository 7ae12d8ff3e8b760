import { type OutboundClient, type OutboundRequest, ServerTimeoutError } from '#lib/http.ts'
import { OutboundError, type OutboundFault } from '#lib/network/address-guard.ts'
import { replaceNul, toStorableText } from '#lib/outside-text.ts'
import { parseRetryAfter } from '#lib/retry.ts'

/** Maximum size of the response that is read, and that is stored, in bytes. */
const [readBytes, headBytes] = [65_536, 1_024]

export interface ServerAnswer {
  outcome: 'accepted' | 'rejected' | OutboundFault
  /** Null if the server did not respond. */
  status: number | null
  latencyMs: number
  head: string | null
  /** The response body up to 64 KiB, or nothing if it is longer. */
  body?: Buffer
  headers?: Readonly<Record<string, string>>
  /** Reason for a failure, as a sentence for the owner. */
  error: string | null
  retryAfterMs: number | null
}

type ServerRequest = Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'timeout'> & {
  signal: AbortSignal
  /** Organisation for which a server that is not responding is skipped. Undefined to send anyway. */
  holder: string | undefined
  /** Name of the server in errors, such as `endpoint`. */
  what: string
}

/**
 * Sends one request to a customer’s server. A 2xx status is a success, even if reading the body fails. Redirects are not
 * followed. Throws `ServerTimeoutError` without sending while the server is not responding to this organisation.
 */
export async function callServer(
  outbound: OutboundClient,
  url: string,
  { headers, holder, what, ...request }: ServerRequest,
): Promise<ServerAnswer> {
  const begun = performance.now()
  const elapsed = () => Math.round(performance.now() - begun)
  try {
    const answer = await outbound.request(url, {
      ...request,
      ...{ maxBytes: readBytes, bodyOptional: true, redirects: 0 },
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(holder !== undefined && { holder }),
    })
    const { status } = answer
    const isAccepted = status >= 200 && status < 300
    return {
      outcome: isAccepted ? 'accepted' : 'rejected',
      status,
      latencyMs: elapsed(),
      head: headOf(answer.body),
      body: answer.body,
      headers: shownHeaders(answer.headers),
      error: isAccepted ? null : `The ${what} returned ${status}.`,
      retryAfterMs: isAccepted ? null : millisecondsOf(parseRetryAfter(answer.headers['retry-after'])),
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error instanceof ServerTimeoutError) throw error
    const nothing = { status: null, head: null, retryAfterMs: null }
    return { ...nothing, outcome: error.shown, latencyMs: elapsed(), error: error.message }
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
