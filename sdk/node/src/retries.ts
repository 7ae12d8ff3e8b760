import { APIError, ConnectionError } from './errors.ts'

/** Who is asked to come again later than in so many seconds is told of it instead. */
const longestWait = 60
const [firstMs, mostMs] = [500, 8_000]

/** What decides whether a request may be sent again. */
export interface Repeatable {
  verb: string
  /** Goes with an idempotency key, or is such that twice is as good as once. */
  harmless: boolean
}

/** Twice is as good as once: a PATCH of this API sets what it names. */
const idempotentVerbs = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])

/** Whether a request may be sent again after a failure: never one that has perhaps been executed and would be once more. */
export function mayRepeat({ verb, harmless: declared }: Repeatable, failure: unknown): boolean {
  const harmless = declared || idempotentVerbs.has(verb)
  if (failure instanceof APIError) {
    if ((failure.retryAfter ?? 0) > longestWait) return false
    // With these the request was not executed.
    if (failure.status === 429 || failure.status === 503) return true
    return failure.status >= 500 && harmless
  }
  return failure instanceof ConnectionError && (harmless || isUnsent(failure))
}

/** Codes of connections that never were, so that nothing was sent over them. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

function isUnsent({ cause }: ConnectionError): boolean {
  const inner = (cause as { cause?: { code?: unknown; errors?: { code?: unknown }[] } } | undefined)?.cause
  return [inner, ...(inner?.errors ?? [])].some((one) => unsent.has(String(one?.code)))
}

/**
 * Milliseconds to wait before the next attempt, of which `attempt` have failed: any time up to a bound that doubles, or what the
 * API has asked for and a little more, so that those who were refused together do not come back together.
 */
export function waitMs(attempt: number, failure: unknown, random = Math.random): number {
  const asked = failure instanceof APIError ? failure.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + random() * 250
  return random() * Math.min(mostMs, firstMs * 2 ** (attempt - 1))
}

/** Waits, unless `signal` is aborted, whose reason is then thrown. */
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
