import type { Template } from '#sql/whatsapp/templates.ts'

/** What the Cloud API made of a message that it took. */
export interface SendResult {
  /** The message's id at Meta. */
  wamid: string
  /** The recipient's account, whose digits may not be those of the number. */
  waId: string
}

/** A template as the Cloud API lists it. */
export type ListedTemplate = Omit<Template, 'id' | 'account_id' | 'noted_at'>

/** A template as it is handed in for review. */
export interface NewTemplate {
  name: string
  language: string
  category: string
  parameter_format: string
  components: readonly { readonly type: string }[]
}

/** What Meta has made of a template that was handed in. */
export interface ReviewedTemplate {
  provider_id: string
  status: string
  category: string
}

/** By what a business number is known to Meta. */
export interface Credentials {
  phoneNumberId: string | undefined
  accountId: string | undefined
  accessToken: string | undefined
  /** Of the Meta app; with it each request shows that the token was not stolen (`appsecret_proof`). */
  appSecret: string | undefined
}

/** A file that is uploaded to Meta, from storage. */
export interface OutgoingFile {
  bytes: AsyncIterable<Uint8Array>
  byteSize: number
  type: string
  filename: string
}

/** A file of Meta's, as its bytes come. */
export interface IncomingFile {
  type: string
  /** Of the bytes, in hex, as Meta says. */
  sha256: string | undefined
  /** Throws once it is longer than it may be. */
  bytes: AsyncIterable<Uint8Array>
}

/** The Cloud API as one business number has it; each call throws a `CloudApiError`. */
export interface NumberApi {
  /** Sends a message of the business number. */
  send(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<SendResult>
  /** All templates of the business account, whose id comes with them. */
  templates(signal: AbortSignal): Promise<{ accountId: string; templates: ListedTemplate[] }>
  /** Hands a template in for review. */
  createTemplate(template: NewTemplate, signal: AbortSignal): Promise<ReviewedTemplate>
  /** Deletes one language of a template. */
  deleteTemplate(template: { name: string; providerId: string }, signal: AbortSignal): Promise<void>
  /** Uploads a file; returns its id at Meta. */
  upload(file: OutgoingFile, signal: AbortSignal): Promise<string>
  /** Fetches what a person sent, of at most so many bytes, from a host of Meta alone. */
  download(mediaId: string, mostBytes: number, signal: AbortSignal): Promise<IncomingFile>
  /** Asks Meta whether number, account, token and app secret are what they should be and belong together. */
  check(signal: AbortSignal): Promise<NumberCheck>
  /** Has Meta send the account's webhooks to an address, which must answer its challenge. */
  subscribe(callback: { url: string; verifyToken: string }, signal: AbortSignal): Promise<void>
}

/** What Meta says of a number, or which of what was given is at fault. */
export type NumberCheck =
  | { displayPhone: string | null; verifiedName: string | null }
  | { fault: 'phone_number_id' | 'business_account_id' | 'access_token' | 'app_secret'; issue: string }

/** Meta's Cloud API, as the pool `whatsapp` lends it: that of the platform's number, and those of others. */
export interface CloudApi extends NumberApi {
  as(credentials: Credentials): NumberApi
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
  /** `error.error_subcode` of the answer. */
  readonly subcode: number | null
  /** Seconds of the answer's `Retry-After`. */
  readonly retryAfter: number | null

  constructor(
    outcome: Outcome,
    message: string,
    facts: {
      httpStatus?: number | null
      code?: number | null
      subcode?: number | null
      retryAfter?: number | null | undefined
    } = {},
  ) {
    super(message)
    this.outcome = outcome
    this.httpStatus = facts.httpStatus ?? null
    this.code = facts.code ?? null
    this.subcode = facts.subcode ?? null
    this.retryAfter = facts.retryAfter ?? null
  }
}
