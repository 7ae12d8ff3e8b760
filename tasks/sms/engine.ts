import type { Kind } from '#sql/sms/providers.ts'

/** A connection with its decrypted secrets, as its adapter needs it. */
export interface Connection {
  id: string
  orgId: string
  kind: Kind
  settings: Readonly<Record<string, unknown>>
  secrets: Readonly<Record<string, unknown>>
  /** True if the organisation can use URLs on this machine. */
  isLocal: boolean
}

export interface OutgoingSms {
  id: string
  /** Recipient in E.164. */
  to: string
  /** Number in E.164 or name. Null if the provider chooses the sender. */
  from: string | null
  text: string
  encoding: 'gsm7' | 'ucs2'
  /** URL to which the provider reports the status of this message. */
  callbackUrl: string
}

export interface SmsGateway {
  /** Sends a message and returns the provider's ID, if it gives one. Throws an `SmsError` if the request failed. */
  send(connection: Connection, message: OutgoingSms, signal: AbortSignal): Promise<{ providerMessageId: string | null }>
  close(): Promise<void>
}

/**
 * Result of a request. `refused`: the provider reported an error. `busy`: the provider asks for a later request.
 * `unmade`: no connection. `unknown`: no response shows whether the request took effect. `not_configured`: no usable
 * credentials.
 */
export type Outcome = 'refused' | 'busy' | 'unmade' | 'unknown' | 'not_configured'

/** Thrown if a request to a provider failed. The message never contains the provider's text. */
export class SmsError extends Error {
  override name = 'SmsError'
  readonly outcome: Outcome
  readonly httpStatus: number | null
  readonly code: string | null
  readonly retryAfter: number | null

  constructor(
    outcome: Outcome,
    message: string,
    facts: { httpStatus?: number | null; code?: string | null; retryAfter?: number | null } = {},
  ) {
    super(message)
    this.outcome = outcome
    this.httpStatus = facts.httpStatus ?? null
    this.code = facts.code ?? null
    this.retryAfter = facts.retryAfter ?? null
  }
}
