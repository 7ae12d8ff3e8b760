import type { Provider } from '#sql/push/installations.ts'

export const providerNames: Readonly<Record<Provider, string>> = {
  apns: 'Apple (APNs)',
  fcm: 'Google (FCM)',
  webpush: 'Web Push',
  sse: 'Stream',
}
