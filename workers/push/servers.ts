import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { config } from '#lib/config.ts'

export interface PushServers {
  /** URL that replaces Apple’s server. */
  apns?: URL | undefined
  /** URL that replaces Google’s server. */
  fcm?: URL | undefined
  /** Trusted root certificates for TLS. Undefined: Node’s defaults. */
  secureContext?: SecureContext | undefined
  /** Addresses of web push services that are allowed in addition to public ones. */
  allowed: readonly string[]
  timeoutMs: number
}

export function getConfiguredServers(): PushServers {
  const { APNS_SERVER, FCM_SERVER, PUSH_CA_FILE, OUTBOUND_ALLOWED } = config
  return {
    apns: APNS_SERVER === undefined ? undefined : new URL(APNS_SERVER),
    fcm: FCM_SERVER === undefined ? undefined : new URL(FCM_SERVER),
    secureContext: PUSH_CA_FILE === undefined ? undefined : createTrust(readFileSync(PUSH_CA_FILE, 'utf8')),
    allowed: OUTBOUND_ALLOWED,
    timeoutMs: 10_000,
  }
}

/**
 * Trusts a root certificate in addition to Node’s. Call it once, because reading all roots for each connection would
 * take 20 ms.
 */
export const createTrust = (root: string): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), root] })
