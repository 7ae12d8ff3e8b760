/**
 * Errors for two audiences: a `Problem` becomes the HTTP response; `Permanent`, `Rejected`, `Later` and `Cancelled` decide
 * what the worker does with the job. Anything else that is thrown is a bug: 500 for the client, a retry for the job.
 */

/** One thing that is wrong with a request: where (`body.parts.0`, `query.limit`) and what. */
export interface Fault {
  field: string
  issue: string
}

/** The error of an HTTP response: status, snake_case code, sentence, and details it may act on. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly details: unknown
  /** Seconds after which trying again makes sense; becomes the `Retry-After` header. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string, message: string, extra: { details?: unknown; retryAfter?: number } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = extra.details
    this.retryAfter = extra.retryAfter
  }
}

/** Faults that one answer names, and letters of a field's name, which may be the client's own. */
const [maxFaults, maxFieldLength] = [20, 200]

/** 400 with the bad fields named in the message and listed in `details`: the first 20, and how many more there are. */
export function badRequest(faults: readonly Fault[]): Problem {
  const firstFaults = faults.slice(0, maxFaults).map(({ field, issue }) => ({ field: shortened(field), issue }))
  if (faults.length > maxFaults)
    firstFaults.push({ field: 'request', issue: `has ${faults.length - maxFaults} more faults` })
  const message = firstFaults.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return new Problem(400, 'bad_request', message, { details: firstFaults })
}

const shortened = (field: string): string =>
  field.length > maxFieldLength ? `${field.slice(0, maxFieldLength).toWellFormed()}…` : field

/** 401: no key, or one that is unknown or revoked. */
export function unauthorized(message = 'A valid API key is required.'): Problem {
  return new Problem(401, 'unauthorized', message)
}

/** 403: a valid key without the right to do this. */
export function forbidden(message: string): Problem {
  return new Problem(403, 'forbidden', message)
}

/** 404: no such thing, or one of another organisation; the two cannot be told apart. */
export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `No such ${what}.`)
}

/** 409 with the code of the conflicting state. */
export function conflict(message: string, code = 'conflict', details?: unknown): Problem {
  return new Problem(409, code, message, { details })
}

/** 503 while a part the answer needs is away; `retryAfter` in seconds. */
export function unavailable(message: string, retryAfter = 2, details?: unknown): Problem {
  return new Problem(503, 'server_error', message, { retryAfter, details })
}

/** Thrown by a task that can never succeed: no further attempt, `giveUp` is called. */
export class Permanent extends Error {
  override name = 'Permanent'
}

/**
 * Thrown by a task whose input, given by a customer, makes it impossible: no further attempt, `giveUp` is called, and the job
 * ends as rejected rather than failed, as there is nothing for an operator to fix.
 */
export class Rejected extends Permanent {
  override name = 'Rejected'
}

/** What no host could give a job for so long that it is given up, for machines. */
export type HostFaultCode = 'no_room' | 'storage_away' | 'database_away'

const lacks: Record<HostFaultCode, string> = {
  no_room: 'For too long no machine had room for it.',
  storage_away: 'For too long storage did not answer for it.',
  database_away: 'For too long the database did not answer for it.',
}

/** A job that was given up because no host could do it: its task and what it is about may be without fault. */
export class HostFault extends Permanent {
  override name = 'HostFault'
  readonly code: HostFaultCode

  constructor(code: HostFaultCode, cause: Error) {
    super(lacks[code], { cause })
    this.code = code
  }
}

/** The code of a `HostFault`, be it one that a job has carried (tasks/queue/error-record.ts); undefined for other errors. */
export const hostFaultCode = (error: Error): HostFaultCode | undefined =>
  error.name === 'HostFault' && 'code' in error ? (error.code as HostFaultCode) : undefined

/** Thrown by a task that wants to run again in `delay` milliseconds, at no cost of an attempt. */
export class Later extends Error {
  override name = 'Later'
  readonly delay: number

  constructor(delay: number, why = `again in ${delay} ms`) {
    super(why)
    this.delay = delay
  }
}

/** The reason of a task's signal when somebody cancelled its job. */
export class Cancelled extends Error {
  override name = 'Cancelled'
}

/** Thrown when a worker finds that the job it runs is no longer its own; it must not write any more. */
export class OwnershipLost extends Error {
  override name = 'OwnershipLost'
}

/** The messages of an error and of all its causes, in one line. */
export function describe(error: unknown): string {
  const parts: string[] = []
  for (let e: unknown = error; e !== undefined && e !== null; e = e instanceof Error ? e.cause : undefined) {
    parts.push(e instanceof Error ? `${e.name}: ${e.message}` : String(e))
  }
  return parts.join(' ← ')
}
