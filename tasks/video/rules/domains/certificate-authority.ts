import type { Dns } from '#lib/network/dns.ts'
import type { Seal } from '#lib/seal.ts'

export interface Account {
  key: string
  url: string
}

/** Response that the authority must find under a host name before it signs (RFC 8555 §8.3). */
export interface Challenge {
  url: string
  token: string
  /** Response to /.well-known/acme-challenge/{token}. */
  answer: string
  /** True if the authority was already asked to validate it. */
  begun: boolean
}

/** State of an order (RFC 8555 §7.1.6). */
export type Order =
  | { status: 'pending'; challenges: Challenge[] }
  | { status: 'ready' | 'processing' }
  | { status: 'valid'; chain: string }
  | { status: 'invalid'; fault: AuthorityFault }

/** A certificate authority (RFC 8555). All methods throw `AuthorityFault`. */
export interface CertificateAuthority {
  directoryUrl: string
  contact: string | null
  register(key: string, signal: AbortSignal): Promise<string>
  order(account: Account, hostname: string, signal: AbortSignal): Promise<string>
  poll(account: Account, orderUrl: string, signal: AbortSignal): Promise<Order>
  begin(account: Account, challenge: Challenge, signal: AbortSignal): Promise<void>
  finalize(account: Account, orderUrl: string, hostname: string, key: string, signal: AbortSignal): Promise<void>
}

/**
 * Reason for a missing certificate. `away`: the authority is unavailable. `unpointed`, `refused`: the domain’s owner
 * can fix it. `limited`: a later attempt can work. `stranger`: the authority no longer has Millrace’s account. `lost`:
 * the authority no longer has the order.
 */
export type FaultKind = 'away' | 'unpointed' | 'refused' | 'limited' | 'stranger' | 'lost'

export class AuthorityFault extends Error {
  override name = 'AuthorityFault'
  readonly kind: FaultKind
  /** Delay in milliseconds from the authority’s `Retry-After`. */
  readonly retryMs: number | undefined

  constructor(kind: FaultKind, message: string, options: { retryMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryMs = options.retryMs
  }
}

export interface CertificateIssuer {
  authority: CertificateAuthority
  seal: Seal
  dns: Dns
}
