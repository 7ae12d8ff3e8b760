import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { config } from '#lib/config.ts'

/** Where the providers are. */
export interface PushServers {
  /** In place of Apple's. */
  apns?: URL | undefined
  /** In place of Google's. */
  fcm?: URL | undefined
  /** What is trusted in TLS; undefined: what Node trusts. */
  secureContext?: SecureContext | undefined
  /** Addresses beside public ones at which web push services may be. */
  allowed: readonly string[]
  /** Milliseconds for one push. */
  timeoutMs: number
}

/** The providers' own servers, or those that the settings name. */
export function configuredServers(): PushServers {
  const { APNS_SERVER, FCM_SERVER, PUSH_CA_FILE, OUTBOUND_ALLOWED } = config
  return {
    apns: APNS_SERVER === undefined ? undefined : new URL(APNS_SERVER),
    fcm: FCM_SERVER === undefined ? undefined : new URL(FCM_SERVER),
    secureContext: PUSH_CA_FILE === undefined ? undefined : trustedBeside(readFileSync(PUSH_CA_FILE, 'utf8')),
    allowed: OUTBOUND_ALLOWED,
    timeoutMs: 10_000,
  }
}

/** Trusts a root beside those that Node trusts; made once, as reading all of them for each connection would take 20 ms. */
export const trustedBeside = (root: string): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), root] })
