import type { TokenMessage } from 'firebase-admin/messaging'
import type { Push } from '#tasks/push/engine.ts'

const mostTtl = 2_419_200

const apnsPriority = { high: '10', normal: '5', low: '1' } as const

/** Returns the message for the library. Values for Android or APNs in the payload override the defaults. */
export function createFcmMessage({ token, payload, ttl, priority, collapseKey }: Push): TokenMessage {
  const { android, apns, ...rest } = payload as { android?: Record<string, unknown>; apns?: Record<string, object> }
  const seconds = Math.min(ttl, mostTtl)
  const byPush = {
    priority: priority === 'high' ? 'high' : 'normal',
    ttl: seconds * 1000,
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
    android: { ...byPush, ...withMilliseconds(android) },
    apns: { ...apns, headers },
  } as unknown as TokenMessage
}

/** Converts durations of the REST form, `3600s`, to milliseconds for the library. */
function withMilliseconds(android: Record<string, unknown> = {}): Record<string, unknown> {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(android.ttl)) ?? []
  return seconds === undefined ? android : { ...android, ttl: Number(seconds) * 1000 }
}
