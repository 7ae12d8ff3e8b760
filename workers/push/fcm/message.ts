import type { TokenMessage } from 'firebase-admin/messaging'
import type { Push } from '#tasks/push/engine.ts'

const mostTtl = 2_419_200

const apnsPriority = { high: '10', normal: '5', low: '1' } as const

/** A message of the HTTP v1 API. */
export interface FcmMessage extends Pick<TokenMessage, 'token' | 'data' | 'notification'> {
  android: Record<string, unknown>
  apns: Record<string, unknown>
}

/** Customers can override a part with `null`, which means the same as no part. */
interface FcmOverrides {
  android?: Record<string, unknown> | null
  apns?: Record<string, object> | null
}

/** Returns the message for FCM. Values for Android or APNs in the payload override the defaults. */
export function createFcmMessage({ token, payload, ttl, priority, collapseKey }: Push): FcmMessage {
  const { android, apns, ...rest } = payload as FcmOverrides
  const seconds = Math.min(ttl, mostTtl)
  const byPush = {
    priority: priority === 'high' ? 'high' : 'normal',
    ttl: `${seconds}s`,
    ...(collapseKey !== undefined && { collapse_key: collapseKey }),
  }
  const headers = {
    'apns-priority': apnsPriority[priority],
    'apns-expiration': String(ttl === 0 ? 0 : Math.floor(Date.now() / 1000) + seconds),
    ...(collapseKey !== undefined && Buffer.byteLength(collapseKey) <= 64 && { 'apns-collapse-id': collapseKey }),
    ...apns?.headers,
  }
  return {
    ...rest,
    token,
    android: { ...byPush, ...withDuration(android) },
    apns: { ...apns, headers },
  }
}

/** Converts a duration in milliseconds, as in the libraries of Google, to the form of the HTTP v1 API: `3600s`. */
const withDuration = (android: Record<string, unknown> | null = {}): Record<string, unknown> =>
  typeof android?.ttl === 'number' ? { ...android, ttl: `${android.ttl / 1000}s` } : { ...android }
