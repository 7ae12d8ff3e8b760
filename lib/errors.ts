/**
 * Errors of requests and jobs. A `Problem` becomes the HTTP response. `Permanent`, `Rejected`, `Later` and `Cancelled`
 * tell the worker what to do with the job. Any other error is a bug: the client receives 500, and the job is retried.
 */

/** An invalid field (for example `body.parts.0` or `query.limit`) and the issue with it. */
export interface Fault {
  field: string
  issue: string
}

export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly details: unknown
  /** Time in seconds after which the client can retry. Sent as the `Retry-After` header. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string, message: string, extra: { details?: unknown; retryAfter?: number } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = extra.details
    this.retryAfter = extra.retryAfter
  }
}

const [maxFaults, maxFieldLength] = [20, 200]

/** Returns 400. The message and `details` contain the first 20 invalid fields and the number of further ones. */
export function badRequest(faults: readonly Fault[]): Problem {
  const firstFaults = faults.slice(0, maxFaults).map(({ field, issue }) => ({ field: shortened(field), issue }))
  if (faults.length > maxFaults)
    firstFaults.push({ field: 'request', issue: `has ${faults.length - maxFaults} more invalid fields` })
  const message = firstFaults.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return new Problem(400, 'bad_request', message, { details: firstFaults })
}

const shortened = (field: string): string =>
  field.length > maxFieldLength ? `${field.slice(0, maxFieldLength).toWellFormed()}…` : field

export function unauthorized(
  message = 'A valid API key is required. Send it as `Authorization: Bearer <key>`.',
): Problem {
  return new Problem(401, 'unauthorized', message)
}

export function forbidden(message: string): Problem {
  return new Problem(403, 'forbidden', message)
}

/** Returns 404. Objects of other organisations get the same response as objects that do not exist. */
export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `No such ${what}.`)
}

export function conflict(message: string, code = 'conflict', details?: unknown): Problem {
  return new Problem(409, code, message, { details })
}

/** Returns 503 when a required service is unavailable. `retryAfter` is in seconds. */
export function unavailable(message: string, retryAfter = 2, details?: unknown): Problem {
  return new Problem(503, 'server_error', message, { retryAfter, details })
}

/** Thrown by a task that can never succeed. The task is not retried, and `giveUp` is called. */
export class Permanent extends Error {
  override name = 'Permanent'
}

/**
 * Thrown by a task that cannot succeed because of a customer’s input. The task is not retried, and `giveUp` is called.
 * The job’s state is rejected, not failed, because operators cannot fix the input.
 */
export class Rejected extends Permanent {
  override name = 'Rejected'
}

export type HostFaultCode = 'no_room' | 'storage_away' | 'database_away'

const lacks: Record<HostFaultCode, string> = {
  no_room: 'No machine had enough space for this job for too long.',
  storage_away: 'Object storage was unavailable for too long.',
  database_away: 'The database was unavailable for too long.',
}

/** Thrown if no host could run the job. The task and its input can be correct. */
export class HostFault extends Permanent {
  override name = 'HostFault'
  readonly code: HostFaultCode

  constructor(code: HostFaultCode, cause: Error) {
    super(lacks[code], { cause })
    this.code = code
  }
}

/**
 * Returns the code of a `HostFault`, even if it was restored from a stored job error (tasks/queue/error-record.ts).
 * Returns undefined for other errors.
 */
export const hostFaultCode = (error: Error): HostFaultCode | undefined =>
  error.name === 'HostFault' && 'code' in error ? (error.code as HostFaultCode) : undefined

/** Thrown by a task to run again after `delay` milliseconds. This does not count as an attempt. */
export class Later extends Error {
  override name = 'Later'
  readonly delay: number

  constructor(delay: number, why = `again in ${delay} ms`) {
    super(why)
    this.delay = delay
  }
}

/** Abort reason of a task’s signal if its job is cancelled. */
export class Cancelled extends Error {
  override name = 'Cancelled'
}

/** Thrown when a worker no longer owns the job it runs. The worker must stop writing data. */
export class OwnershipLostError extends Error {
  override name = 'OwnershipLostError'
}

export function describe(error: unknown): string {
  const parts: string[] = []
  for (let e: unknown = error; e !== undefined && e !== null; e = e instanceof Error ? e.cause : undefined) {
    parts.push(e instanceof Error ? `${e.name}: ${e.message}` : String(e))
  }
  return parts.join(' ← ')
}
