import type { ResponseMeaning } from '../client.ts'

const dead: ResponseMeaning = { outcome: 'invalid_token' }
const rejected: ResponseMeaning = { outcome: 'rejected' }
const credential: ResponseMeaning = { outcome: 'credential' }
const retry: ResponseMeaning = { outcome: 'retry' }

/**
 * Meaning of a response for a device of another app or environment. If the credential is wrong, APNs returns it for all
 * devices.
 */
const stranger: ResponseMeaning = { outcome: 'rejected', suspect: true }

/** Meaning of each `reason` of APNs (Handling notification responses from APNs, table 2). */
const byReason: Readonly<Record<string, ResponseMeaning>> = {
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
  // APNs allows a new provider token only once every 20 minutes.
  TooManyProviderTokenUpdates: { outcome: 'credential', retryAfter: 1_200 },
  InternalServerError: retry,
  ServiceUnavailable: retry,
  Shutdown: retry,
}

const byStatus: Readonly<Record<number, ResponseMeaning>> = {
  200: { outcome: 'sent' },
  401: credential,
  403: credential,
  410: dead,
  429: { outcome: 'retry', retryAfter: 60 },
}

export function getApnsMeaning(status: number, reason: string | undefined): ResponseMeaning {
  return byReason[reason ?? ''] ?? byStatus[status] ?? (status >= 500 ? retry : rejected)
}
