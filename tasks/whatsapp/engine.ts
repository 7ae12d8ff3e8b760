import type { Template } from '#sql/whatsapp/templates.ts'

export interface SendResult {
  wamid: string
  waId: string
}

export type ListedTemplate = Omit<Template, 'id' | 'account_id' | 'noted_at'>

export interface NewTemplate {
  name: string
  language: string
  category: string
  parameter_format: string
  components: readonly { readonly type: string }[]
}

export interface ReviewedTemplate {
  provider_id: string
  status: string
  category: string
}

export interface Credentials {
  phoneNumberId: string | undefined
  accountId: string | undefined
  accessToken: string | undefined
  /** Secret of the Meta app. It proves that the token was not stolen (`appsecret_proof`). */
  appSecret: string | undefined
}

export interface OutgoingFile {
  bytes: AsyncIterable<Uint8Array>
  byteSize: number
  type: string
  filename: string
}

export interface IncomingFile {
  type: string
  /** Hash of the bytes in hexadecimal, as reported by Meta. */
  sha256: string | undefined
  /** Throws when the file exceeds its maximum size. */
  bytes: AsyncIterable<Uint8Array>
}

/** Cloud API of one business number. Each call can throw a `CloudApiError`. */
export interface NumberApi {
  send(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<SendResult>
  /** Returns all templates of the business account, and its ID. */
  templates(signal: AbortSignal): Promise<{ accountId: string; templates: ListedTemplate[] }>
  createTemplate(template: NewTemplate, signal: AbortSignal): Promise<ReviewedTemplate>
  deleteTemplate(template: { name: string; providerId: string }, signal: AbortSignal): Promise<void>
  upload(file: OutgoingFile, signal: AbortSignal): Promise<string>
  /** Fetches a file of up to this many bytes, only from a host of Meta. */
  download(mediaId: string, mostBytes: number, signal: AbortSignal): Promise<IncomingFile>
  /** Checks that number, account, token and app secret are valid and belong together. */
  check(signal: AbortSignal): Promise<NumberCheck>
  /** Subscribes the account's webhooks to a URL, which must respond to Meta's challenge. */
  subscribe(callback: { url: string; verifyToken: string }, signal: AbortSignal): Promise<void>
}

export type NumberCheck =
  | { displayPhone: string | null; verifiedName: string | null }
  | { fault: 'phone_number_id' | 'business_account_id' | 'access_token' | 'app_secret'; issue: string }

export interface CloudApi extends NumberApi {
  as(credentials: Credentials): NumberApi
  close(): Promise<void>
}

/**
 * Result of a request: `refused` with an error of the API, `unmade` without a connection, `unknown` if no response
 * shows whether it took effect, `not_configured` without credentials.
 */
export type Outcome = 'refused' | 'unmade' | 'unknown' | 'not_configured'

/** Thrown if a request to the Cloud API failed. The message never contains the API’s error text. */
export class CloudApiError extends Error {
  override name = 'CloudApiError'
  readonly outcome: Outcome
  readonly httpStatus: number | null
  readonly code: number | null
  readonly subcode: number | null
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
