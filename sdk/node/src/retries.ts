import { APIError, ConnectionError } from './errors.ts'

/** If `Retry-After` is longer than this number of seconds, the client throws instead of waiting. */
const longestWait = 60
const [firstMs, mostMs] = [500, 8_000]

/** Data that decides whether a request can be repeated. */
export interface Repeatable {
  verb: string
  /** True for requests with an idempotency key, and for others that can safely be repeated. */
  harmless: boolean
}

/** These can safely be repeated. A PATCH of this API sets the fields that it contains. */
const idempotentVerbs = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])

/**
 * Returns true if a request can be repeated after a failure. Returns false if it may have been executed and a repeat
 * would have another effect.
 */
export function isRetryable({ verb, harmless: declared }: Repeatable, failure: unknown): boolean {
  const harmless = declared || idempotentVerbs.has(verb)
  if (failure instanceof APIError) {
    if ((failure.retryAfter ?? 0) > longestWait) return false
    // The API returns these before it executes a request.
    if (failure.status === 429 || failure.status === 503) return true
    return failure.status >= 500 && harmless
  }
  return failure instanceof ConnectionError && (harmless || isUnsent(failure))
}

/** Codes of connections that were never established, so that nothing was sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

function isUnsent({ cause }: ConnectionError): boolean {
  const inner = (cause as { cause?: { code?: unknown; errors?: { code?: unknown }[] } } | undefined)?.cause
  return [inner, ...(inner?.errors ?? [])].some((one) => unsent.has(String(one?.code)))
}

/**
 * Returns the milliseconds to wait after `attempt` failed attempts: a random time up to a doubling limit, or slightly more
 * than `Retry-After`. The randomness keeps rejected clients from retrying at the same time.
 */
export function getRetryDelayMs(attempt: number, failure: unknown, random = Math.random): number {
  const asked = failure instanceof APIError ? failure.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + random() * 250
  return random() * Math.min(mostMs, firstMs * 2 ** (attempt - 1))
}

/** Waits. If `signal` is aborted, throws its reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
