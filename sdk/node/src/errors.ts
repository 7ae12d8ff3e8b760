/** What every error of this client is. */
export class MillraceError extends Error {
  override name = 'MillraceError'
}

/** What an answer says that is no success. */
export interface Refusal {
  status: number
  code: string
  message: string
  details?: unknown
  requestId?: string | undefined
  /** Seconds to wait, when the API has said so. */
  retryAfter?: number | undefined
}

/** The API has answered, and it is no success. */
export class APIError extends MillraceError {
  override name = 'APIError'
  readonly status: number
  /** What went wrong, for programs. */
  readonly code: string
  /** What a program may act on; of a 400, every field at fault. */
  readonly details: unknown
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined
  /** Seconds to wait, when the API has said so. */
  readonly retryAfter: number | undefined

  constructor({ status, code, message, details, requestId, retryAfter }: Refusal) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** 400: the request is not as it should be; `fields` names every one at fault. */
export class BadRequestError extends APIError {
  override name = 'BadRequestError'

  /** The fields at fault, as the API names them: `body.title`. */
  get fields(): string[] {
    if (!Array.isArray(this.details)) return []
    return this.details.flatMap(({ field }: { field?: unknown }) => (typeof field === 'string' ? [field] : []))
  }
}

/** 401: no key, or one that is not known. */
export class UnauthorizedError extends APIError {
  override name = 'UnauthorizedError'
}

/** 403: the key may not do this. */
export class ForbiddenError extends APIError {
  override name = 'ForbiddenError'
}

/** 404: there is no such thing, or it is somebody else's. */
export class NotFoundError extends APIError {
  override name = 'NotFoundError'
}

/** 409: what is asked for does not go with the state of things. */
export class ConflictError extends APIError {
  override name = 'ConflictError'
}

/** 429: too much was asked for; `retryAfter` says when to come again. */
export class RateLimitedError extends APIError {
  override name = 'RateLimitedError'
}

/** 5xx: the fault is the server's. */
export class ServerError extends APIError {
  override name = 'ServerError'
}

/** No answer has come. */
export class ConnectionError extends MillraceError {
  override name = 'ConnectionError'
}

/** No answer has come in time. */
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

/** Reads the error out of an answer, whoever has written it; `message` is what is said in place of its own. */
export function errorOf(response: Response, text: string, message?: string): APIError {
  const { status, headers } = response
  const said = saidIn(text)
  const refusal: Refusal = {
    status,
    code: typeof said.code === 'string' ? said.code : status >= 500 ? 'server_error' : `http_${status}`,
    message: message ?? (typeof said.message === 'string' ? said.message : `The server returned ${status}.`),
    details: said.details,
    requestId: typeof said.request_id === 'string' ? said.request_id : (headers.get('x-request-id') ?? undefined),
    retryAfter: secondsOf(headers.get('retry-after')),
  }
  return new (kinds[status] ?? (status >= 500 ? ServerError : APIError))(refusal)
}

/** The `error` of a body; of what is no such body, nothing. */
function saidIn(text: string): Record<string, unknown> {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    return {}
  }
}

/** `Retry-After` in seconds: a number of them, or a date (RFC 9110 §10.2.3). */
export function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
