import type { Dns } from '#lib/dns.ts'
import type { Seal } from '#lib/seal.ts'

/** Our account at an authority: its private key in PEM, and its URL there. */
export interface Account {
  key: string
  url: string
}

/** What the authority wants to find under a host name before it signs (RFC 8555 §8.3). */
export interface Challenge {
  url: string
  token: string
  /** What must be answered at /.well-known/acme-challenge/{token}. */
  answer: string
  /** Whether the authority was already asked to validate it. */
  begun: boolean
}

/** The state of an order (RFC 8555 §7.1.6). */
export type Order =
  | { status: 'pending'; challenges: Challenge[] }
  | { status: 'ready' | 'processing' }
  | { status: 'valid'; chain: string }
  | { status: 'invalid'; fault: AuthorityFault }

/** An authority that signs certificates (RFC 8555). All it does throws `AuthorityFault`. */
export interface CertificateAuthority {
  directoryUrl: string
  contact: string | null
  /** Makes the account that this key is for, or finds it; returns its URL. */
  register(key: string, signal: AbortSignal): Promise<string>
  /** Places an order for one host name; returns its URL. */
  order(account: Account, hostname: string, signal: AbortSignal): Promise<string>
  poll(account: Account, orderUrl: string, signal: AbortSignal): Promise<Order>
  /** Asks the authority to validate a challenge. */
  begin(account: Account, challenge: Challenge, signal: AbortSignal): Promise<void>
  /** Has a certificate signed for a private key in PEM. */
  finalize(account: Account, orderUrl: string, hostname: string, key: string, signal: AbortSignal): Promise<void>
}

/**
 * Why there is no certificate: `away` is nobody's fault, `unpointed` and `refused` can be mended by the domain's owner,
 * `limited` passes with time, `stranger` means that the authority does not know our account any more, `lost` that it does
 * not know the order.
 */
export type FaultKind = 'away' | 'unpointed' | 'refused' | 'limited' | 'stranger' | 'lost'

/** What an authority did not do, in a sentence for the domain's owner. */
export class AuthorityFault extends Error {
  override name = 'AuthorityFault'
  readonly kind: FaultKind
  /** Milliseconds from the authority's `Retry-After`. */
  readonly retryMs: number | undefined

  constructor(kind: FaultKind, message: string, options: { retryMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryMs = options.retryMs
  }
}

/** What issues certificates: an authority, the seal for private keys, and DNS. */
export interface CertificateIssuer {
  authority: CertificateAuthority
  /** Seals private keys. */
  seal: Seal
  dns: Dns
}
