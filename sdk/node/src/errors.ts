import type { ErrorCode } from './generated/types.ts'

/** Base class of all errors of this client. */
export class MillraceError extends Error {
  override name = 'MillraceError'
}

export interface ErrorReply {
  status: number
  code: string
  message: string
  details?: unknown
  requestId?: string | undefined
  /** Time in seconds to wait before a retry, if the API returned it. */
  retryAfter?: number | undefined
}

/** Thrown if the API returned an error. */
export class APIError extends MillraceError {
  override name = 'APIError'
  readonly status: number
  /** Error code. Use it in code instead of the message. Later versions of the API can add codes. */
  readonly code: ErrorCode | (string & {})
  /** Machine-readable details. For status 400, they contain every invalid field. */
  readonly details: unknown
  /** ID of the request in the server logs. */
  readonly requestId: string | undefined
  /** Time in seconds to wait before a retry, if the API returned it. */
  readonly retryAfter: number | undefined

  constructor({ status, code, message, details, requestId, retryAfter }: ErrorReply) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** 400: the request is invalid. `fields` contains every invalid field. */
export class BadRequestError extends APIError {
  override name = 'BadRequestError'

  /** Names of the invalid fields in the API, for example `body.title`. */
  get fields(): string[] {
    if (!Array.isArray(this.details)) return []
    return this.details.flatMap(({ field }: { field?: unknown }) => (typeof field === 'string' ? [field] : []))
  }
}

/** 401: the key is missing or unknown. */
export class UnauthorizedError extends APIError {
  override name = 'UnauthorizedError'
}

/** 403: the key does not have the permission. */
export class ForbiddenError extends APIError {
  override name = 'ForbiddenError'
}

/** 404: the object does not exist or belongs to another organisation. */
export class NotFoundError extends APIError {
  override name = 'NotFoundError'
}

/** 409: the request conflicts with the current state. */
export class ConflictError extends APIError {
  override name = 'ConflictError'
}

/** 429: too many requests. `retryAfter` is the time to wait in seconds. */
export class RateLimitedError extends APIError {
  override name = 'RateLimitedError'
}

export class ServerError extends APIError {
  override name = 'ServerError'
}

/** Thrown if no response was received. */
export class ConnectionError extends MillraceError {
  override name = 'ConnectionError'
}

/** Thrown if no response was received in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

const kinds: Record<number, typeof APIError> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitedError,
}

/** Creates an error from a response. `message` replaces the message of the response. */
export function toAPIError(response: Response, text: string, message?: string): APIError {
  const { status, headers } = response
  const said = saidIn(text)
  const refusal: ErrorReply = {
    status,
    code: typeof said.code === 'string' ? said.code : status >= 500 ? 'server_error' : `http_${status}`,
    message: message ?? (typeof said.message === 'string' ? said.message : `The server returned ${status}.`),
    details: said.details,
    requestId: typeof said.request_id === 'string' ? said.request_id : (headers.get('x-request-id') ?? undefined),
    retryAfter: parseRetryAfter(headers.get('retry-after')),
  }
  return new (kinds[status] ?? (status >= 500 ? ServerError : APIError))(refusal)
}

/** Returns the `error` object of a response body, or an empty object if there is none. */
function saidIn(text: string): Record<string, unknown> {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    return {}
  }
}

/** Returns the seconds of a `Retry-After` header, which contains a number or a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
