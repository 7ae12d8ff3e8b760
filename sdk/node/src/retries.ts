import { APIError, ConnectionError } from './errors.ts'

/** Maximum `Retry-After` in seconds. If the value is longer, the client throws instead of waiting. */
const longestWait = 60
const [firstMs, mostMs] = [500, 8_000]

export interface Repeatable {
  verb: string
  /** True if the request has an idempotency key or can be repeated safely for another reason. */
  harmless: boolean
}

/** Verbs of requests that can be repeated safely. In this API, a PATCH sets the fields that it contains. */
const idempotentVerbs = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])

/**
 * True if a request can be repeated after a failure. False if the server may have executed the request and repeating it
 * would have another effect.
 */
export function isRetryable({ verb, harmless: declared }: Repeatable, failure: unknown): boolean {
  const harmless = declared || idempotentVerbs.has(verb)
  if (failure instanceof APIError) {
    if ((failure.retryAfter ?? 0) > longestWait) return false
    // The API returns these statuses before it executes a request.
    if (failure.status === 429 || failure.status === 503) return true
    return failure.status >= 500 && harmless
  }
  return failure instanceof ConnectionError && (harmless || isUnsent(failure))
}

/** Error codes of connections that were never established, so no data was sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

function isUnsent({ cause }: ConnectionError): boolean {
  const inner = (cause as { cause?: { code?: unknown; errors?: { code?: unknown }[] } } | undefined)?.cause
  return [inner, ...(inner?.errors ?? [])].some((one) => unsent.has(String(one?.code)))
}

/**
 * Returns the delay before the next attempt in milliseconds: 50 to 100 % of a limit that doubles with each attempt, or
 * slightly more than `Retry-After`. The randomness prevents rejected clients from retrying at the same time.
 */
export function getRetryDelayMs(attempt: number, failure: unknown, random = Math.random): number {
  const asked = failure instanceof APIError ? failure.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + random() * 250
  return (0.5 + random() / 2) * Math.min(mostMs, firstMs * 2 ** (attempt - 1))
}

/** Longest delay of a timer. A longer one would end immediately. */
const longestTimerMs = 2 ** 31 - 1

/** Waits for `ms` milliseconds. If `signal` is aborted, throws its reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, longestTimerMs),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}
