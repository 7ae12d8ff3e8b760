import type { OutboundClient, OutboundResponse } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import type { SendResult } from '#tasks/account/rules/streams/engine.ts'

/** Timeout of a request in milliseconds, including its response. */
const requestMs = 10_000

/** Maximum size in bytes of a response that is read. */
const answerBytes = 16_384

/** Statuses of a server that does not accept the content. A retry with the same content cannot succeed. */
const rejecting = new Set([400, 413, 422])

interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
  signal: AbortSignal
}

/** Sends one POST request. Redirects are not followed, because they would receive the secrets. */
export async function post(
  outbound: OutboundClient,
  { url, ...request }: Post,
): Promise<{ result: SendResult; response: OutboundResponse | null }> {
  const limits = { timeout: requestMs, maxBytes: answerBytes, tooLong: 'cut', bodyOptional: true } as const
  try {
    const response = await outbound.request(url, { method: 'POST', ...limits, ...request })
    return { result: toResult(response.status, response.body.toString('utf8')), response }
  } catch (error) {
    return { result: toFailure(error), response: null }
  }
}

function toResult(status: number, answer: string): SendResult {
  const isAccepted = status >= 200 && status < 300
  const outcome = isAccepted ? 'accepted' : rejecting.has(status) ? 'rejected' : 'failed'
  // The text is not shortened here: a part of a secret could not be masked.
  const words = answer.trim().replaceAll(/\s+/g, ' ')
  const error = isAccepted ? null : `The server returned ${status}${words === '' ? '.' : `: ${words}`}`
  return { outcome, status, error, answer, dropped: 0 }
}

/** Converts the error of a request to a failure. Throws other errors. */
export function toFailure(error: unknown): SendResult {
  if (!(error instanceof OutboundError)) throw error
  return { outcome: 'failed', status: null, error: error.message, answer: null, dropped: 0 }
}
