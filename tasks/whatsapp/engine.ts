import type { Template } from '#sql/whatsapp/templates.ts'

/** What the Cloud API made of a message that it took. */
export interface SendResult {
  /** The message's id at Meta. */
  wamid: string
  /** The recipient's account, whose digits may not be those of the number. */
  waId: string
}

/** A template as the Cloud API lists it. */
export type ListedTemplate = Omit<Template, 'id' | 'account_id'>

/** Meta's Cloud API, as the pool `whatsapp` lends it. */
export interface CloudApi {
  /** Sends a message of the business number; throws a `CloudApiError`. */
  send(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<SendResult>
  /** All templates of the business account, whose id comes with them; throws a `CloudApiError`. */
  templates(signal: AbortSignal): Promise<{ accountId: string; templates: ListedTemplate[] }>
  close(): Promise<void>
}

/**
 * What became of a request: `refused` with an error of the API, `unmade` as no connection was to be had, `unknown` when no
 * answer came that says whether it took effect, `not_configured` when it was not made for want of credentials.
 */
export type Outcome = 'refused' | 'unmade' | 'unknown' | 'not_configured'

/** A request to the Cloud API that failed; its own words stay out of the message. */
export class CloudApiError extends Error {
  override name = 'CloudApiError'
  readonly outcome: Outcome
  /** The HTTP status, null without an answer. */
  readonly httpStatus: number | null
  /** `error.code` of the answer. */
  readonly code: number | null
  /** Seconds of the answer's `Retry-After`. */
  readonly retryAfter: number | null

  constructor(
    outcome: Outcome,
    message: string,
    facts: { httpStatus?: number | null; code?: number | null; retryAfter?: number | null | undefined } = {},
  ) {
    super(message)
    this.outcome = outcome
    this.httpStatus = facts.httpStatus ?? null
    this.code = facts.code ?? null
    this.retryAfter = facts.retryAfter ?? null
  }
}
