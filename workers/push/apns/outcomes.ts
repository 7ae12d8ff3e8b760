import type { Meaning } from '../client.ts'

const dead: Meaning = { outcome: 'invalid_token' }
const rejected: Meaning = { outcome: 'rejected' }
const credential: Meaning = { outcome: 'credential' }
const retry: Meaning = { outcome: 'retry' }

/** Returned for one device of another app or environment, and for all devices if the credential is wrong. */
const stranger: Meaning = { outcome: 'rejected', suspect: true }

/** Meaning of each `reason` of APNs (Handling notification responses from APNs, table 2). */
const byReason: Readonly<Record<string, Meaning>> = {
  // Also returned for every device of the other environment or of another team.
  BadDeviceToken: { outcome: 'invalid_token', suspect: true },
  DeviceTokenNotForTopic: stranger,
  Unregistered: dead,
  ExpiredToken: dead,
  PayloadTooLarge: rejected,
  PayloadEmpty: rejected,
  BadCollapseId: rejected,
  BadExpirationDate: rejected,
  BadMessageId: rejected,
  BadPriority: rejected,
  // The topic belongs to the credential.
  BadTopic: credential,
  BadPath: rejected,
  MissingDeviceToken: rejected,
  MissingTopic: credential,
  DuplicateHeaders: rejected,
  InvalidPushType: rejected,
  MethodNotAllowed: rejected,
  TopicDisallowed: credential,
  InvalidProviderToken: credential,
  MissingProviderToken: credential,
  ExpiredProviderToken: credential,
  BadCertificate: credential,
  BadCertificateEnvironment: credential,
  BadEnvironmentKeyIdInToken: credential,
  UnrelatedKeyIdInToken: credential,
  Forbidden: credential,
  IdleTimeout: retry,
  TooManyRequests: { outcome: 'retry', retryAfter: 60 },
  // APNs allows a new provider token only once in 20 minutes.
  TooManyProviderTokenUpdates: { outcome: 'credential', retryAfter: 1_200 },
  InternalServerError: retry,
  ServiceUnavailable: retry,
  Shutdown: retry,
}

const byStatus: Readonly<Record<number, Meaning>> = {
  200: { outcome: 'sent' },
  401: credential,
  403: credential,
  410: dead,
  429: { outcome: 'retry', retryAfter: 60 },
}

export function meaningOf(status: number, reason: string | undefined): Meaning {
  return byReason[reason ?? ''] ?? byStatus[status] ?? (status >= 500 ? retry : rejected)
}
