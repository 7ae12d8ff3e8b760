import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { config } from '#lib/config.ts'

export interface PushServers {
  /** Replaces Apple’s server. */
  apns?: URL | undefined
  /** Replaces Google’s server. */
  fcm?: URL | undefined
  /** Trusted roots in TLS. Undefined: Node’s default. */
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
 * Trusts a root in addition to Node’s. Created once, because reading all roots for each connection would take 20 ms.
 */
export const createTrust = (root: string): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), root] })
