import type { OutboundClient, OutboundResponse } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import { SmsError } from '#tasks/sms/engine.ts'

/** Maximum size of a provider's response in bytes. */
const maxBytes = 256 * 1024

/** Faults after which the provider has certainly not received the request. */
const unsent = new Set(['bad_url', 'address_refused', 'port_refused', 'unresolved'])

/** Codes of connection errors that occur before the request is sent. */
const unconnected = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

export interface ProviderRequest {
  url: string
  method: 'GET' | 'POST' | 'PUT'
  headers: Readonly<Record<string, string>>
  body?: string
}

interface ProviderResponse {
  status: number
  json: unknown
}

export type Exchange = (request: ProviderRequest) => Promise<ProviderResponse>

/**
 * Sends a request to a provider. Throws `SmsError`: `busy` for 429 and 503, `unknown` if the provider may have received
 * the request and gave no usable response.
 */
export async function exchange(
  client: OutboundClient,
  { url, ...rest }: ProviderRequest,
  { timeoutMs, holder, signal }: { timeoutMs: number; holder: string; signal: AbortSignal },
): Promise<ProviderResponse> {
  const response = await client
    .request(url, { ...rest, timeout: timeoutMs, maxBytes, tooLong: 'cut', bodyOptional: true, holder, signal })
    .catch((error: unknown) => {
      throw toSmsError(error)
    })
  const { status } = response
  if (status === 429 || status === 503)
    throw new SmsError('busy', `The provider returned ${status}.`, {
      httpStatus: status,
      retryAfter: parseRetryAfter(response.headers['retry-after'], { most: 3_600 }),
    })
  if (status >= 500) throw new SmsError('unknown', `The provider returned ${status}.`, { httpStatus: status })
  if (status >= 300 && status < 400) throw new SmsError('refused', 'The provider redirects.', { httpStatus: status })
  return { status, json: parseJson(response) }
}

function parseJson({ body }: OutboundResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function toSmsError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  if (error.name === 'ServerTimeoutError') return new SmsError('unmade', error.message)
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  const isUnsent = unsent.has(error.code) || (code !== undefined && unconnected.includes(code))
  if (!isUnsent) return new SmsError('unknown', error.message)
  return new SmsError(
    error.code === 'connection_failed' || error.code === 'unresolved' ? 'unmade' : 'refused',
    error.message,
  )
}
