import { MillraceError } from './errors.ts'
import { readBody } from './job-body.ts'
import {
  checkSignature,
  headerOf,
  type VerifyOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from './signatures.ts'

/**
 * A request with which Millrace runs a job: a Fetch `Request`, or the request of Node, Express, Koa or Fastify. If a
 * middleware has read the body, the request needs the unparsed body as `rawBody`, or as bytes or text in `body`.
 */
export type JobRequest = Request | NodeJobRequest

export interface NodeJobRequest {
  headers: WebhookHeaders
  body?: unknown
  rawBody?: unknown
}

/** A job whose signature is valid. */
export interface VerifiedJob {
  /** ID of the job. It is the same in all attempts, so you can use it to recognise repeated calls. */
  jobId: string
  /** Number of the attempt, from 1. */
  attempt: number
  /** Time for which the schedule planned the job. `null` if no schedule created the job. */
  scheduledFor: Date | null
  /** Group of the job, or `null`. */
  group: string | null
  /** Body of the job. */
  body: Uint8Array
  /** Returns the body as text. */
  text: () => string
  /** Parses the body as JSON. Throws a `SyntaxError` if it is not JSON. */
  json: <Body = unknown>() => Body
}

/** Throw it in a job handler if a retry cannot help. The job fails without further attempts. */
export class NoRetry extends MillraceError {
  override name = 'NoRetry'
}

/** Throw it in a job handler to get the next attempt after a number of seconds. */
export class RetryLater extends MillraceError {
  override name = 'RetryLater'
  readonly seconds: number

  constructor(seconds: number, message = `Retry in ${seconds} s.`) {
    super(message)
    if (!Number.isFinite(seconds) || seconds < 0) throw new MillraceError('`seconds` must be a number, at least 0.')
    this.seconds = Math.ceil(seconds)
  }
}

/**
 * Returns the job of a request. Throws a `WebhookVerificationError` unless the request was signed with the signing
 * secret of jobs, or with one of two during a rotation.
 */
export async function verifyJob(
  request: JobRequest,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<VerifiedJob> {
  const { headers } = request
  const body = await readBody(request)
  await checkSignature(body, headers, secret, options)
  const jobId = headerOf(headers, 'webhook-id')
  const attempt = Number(headerOf(headers, 'millrace-attempt'))
  if (!jobId || !Number.isSafeInteger(attempt) || attempt < 1) {
    throw new WebhookVerificationError('The request is not an attempt of a job: millrace-attempt is not a number.')
  }
  const text = () => new TextDecoder().decode(body)
  return {
    ...{ jobId, attempt, body, text },
    scheduledFor: toDate(headerOf(headers, 'millrace-scheduled-for')),
    group: decode(headerOf(headers, 'millrace-group')),
    json: () => JSON.parse(text()),
  }
}

function decode(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return text ?? null
  }
}

function toDate(text: string | undefined): Date | null {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

export interface HandleJobsOptions extends VerifyOptions {
  /** Receives the errors of the handler. Default: `console.error`. */
  onError?: (error: unknown, job: VerifiedJob) => void
}

/**
 * Returns a function that answers requests of jobs, for Workers, Deno, Bun, Next.js and other frameworks that use
 * `Request` and `Response`. The handler returns nothing (204), a `Response`, or a value that is sent as JSON. After
 * `NoRetry` the job fails. After `RetryLater` and other errors, Millrace tries again.
 */
export function handleJobs(
  secret: string | readonly string[],
  handler: (job: VerifiedJob, request: Request) => unknown,
  { onError = (error) => console.error(error), ...options }: HandleJobsOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    let job: VerifiedJob
    try {
      job = await verifyJob(request, secret, options)
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 401 })
      throw error
    }
    try {
      const result = await handler(job, request)
      if (result instanceof Response) return result
      return result === undefined || result === null ? new Response(null, { status: 204 }) : Response.json(result)
    } catch (error) {
      if (!(error instanceof RetryLater)) onError(error, job)
      return refusalOf(error)
    }
  }
}

function refusalOf(error: unknown): Response {
  if (error instanceof NoRetry) return new Response(error.message, { status: 410 })
  if (!(error instanceof RetryLater)) return new Response('The job handler failed.', { status: 500 })
  return new Response(error.message, { status: 503, headers: { 'retry-after': String(error.seconds) } })
}
