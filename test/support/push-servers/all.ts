import { createTrust } from '../../../workers/push/servers.ts'
import type { Scope } from '../postgres.ts'
import { type ApnsServer, startApns } from './apns.ts'
import { makeCertificate } from './certificate.ts'
import { type FcmServer, startFcm } from './fcm.ts'
import { startWebPush, type WebPushServer } from './web-push.ts'

export interface PushProviders {
  apns: ApnsServer
  fcm: FcmServer
  webpush: WebPushServer
  environment: Record<string, string>
}

export async function startPushProviders(t: Scope): Promise<PushProviders> {
  const certificate = await makeCertificate(t)
  const [apns, fcm, webpush] = await Promise.all([
    startApns(t, certificate),
    startFcm(t, certificate),
    startWebPush(t, certificate),
  ])
  const environment = {
    APNS_SERVER: apns.url,
    FCM_SERVER: fcm.url,
    PUSH_CA_FILE: certificate.caFile,
    OUTBOUND_ALLOWED: '127.0.0.1',
  }
  return { apns, fcm, webpush, environment }
}

/** Options for an engine in the test’s process. */
export const serversOf = (url: { apns?: string; fcm?: string }, cert: string, timeoutMs = 20_000) => ({
  ...(url.apns !== undefined && { apns: new URL(url.apns) }),
  ...(url.fcm !== undefined && { fcm: new URL(url.fcm) }),
  secureContext: createTrust(cert),
  allowed: ['127.0.0.1'],
  timeoutMs,
})
