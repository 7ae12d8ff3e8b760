/** One attempt of a call. */
export interface RequestInfo {
  method: string
  /** Path without the query. */
  path: string
  /** 1 for the first attempt. */
  attempt: number
  /** Headers of the request. Secrets are masked. */
  headers: Record<string, string>
}

export interface ResponseInfo extends RequestInfo {
  status: number
  requestId: string | undefined
  /** Time from the request to the headers of the response. */
  durationMs: number
  responseHeaders: Headers
}

export interface RetryInfo extends RequestInfo {
  /** Error of the attempt. */
  error: unknown
  delayMs: number
}

/** Functions that the client calls for each attempt, for example for logs and metrics. */
export interface Hooks {
  onRequest?: ((info: RequestInfo) => void) | undefined
  onResponse?: ((info: ResponseInfo) => void) | undefined
  /** Called before the delay of a retry. */
  onRetry?: ((info: RetryInfo) => void) | undefined
}

const secret = /^(authorization|cookie|proxy-authorization)$|token|secret|api-?key|signature/i

/** Returns the description of an attempt for hooks. */
export const describeAttempt = (
  { verb, path, headers }: { verb: string; path: string; headers: Record<string, string> },
  attempt: number,
): RequestInfo => ({
  method: verb,
  path,
  attempt,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.test(name) ? '[masked]' : value]),
  ),
})
