import type { TokenMessage } from 'firebase-admin/messaging'
import type { Push } from '#tasks/push/engine.ts'

/** FCM keeps nothing for longer than four weeks. */
const mostTtl = 2_419_200

const apnsPriority = { high: '10', normal: '5', low: '1' } as const

/** The message as the library takes it; what the payload says itself for Android or APNs goes before what the push says. */
export function messageOf({ token, payload, ttl, priority, collapseKey }: Push): TokenMessage {
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

/** The REST form of a duration, `3600s`, as the library takes it: in milliseconds. */
function withMilliseconds(android: Record<string, unknown> = {}): Record<string, unknown> {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(android.ttl)) ?? []
  return seconds === undefined ? android : { ...android, ttl: Number(seconds) * 1000 }
}
