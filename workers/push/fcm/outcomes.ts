import type { ResponseMeaning } from '../client.ts'

const rejected: ResponseMeaning = { outcome: 'rejected' }
const credential: ResponseMeaning = { outcome: 'credential' }
/** FCM asks senders to wait at least 10 seconds between attempts (Best practices when sending messages at scale). */
const later: ResponseMeaning = { outcome: 'retry', retryAfter: 10 }
const muchLater: ResponseMeaning = { outcome: 'retry', retryAfter: 60 }

/**
 * Meaning of each error code of FCM (ErrorCode of the HTTP v1 API). If a response has no code, its status is used as
 * the name.
 */
const byCode: Readonly<Record<string, ResponseMeaning>> = {
  UNREGISTERED: { outcome: 'invalid_token' },
  // The token or the service account belongs to another project.
  SENDER_ID_MISMATCH: { outcome: 'rejected', suspect: true },
  // FCM returns UNREGISTERED for an unknown token. NOT_FOUND refers to the project.
  NOT_FOUND: { outcome: 'rejected', suspect: true },
  // The token is the cause only if the response says so. An invalid payload has the same code.
  INVALID_ARGUMENT: rejected,
  QUOTA_EXCEEDED: muchLater,
  RESOURCE_EXHAUSTED: muchLater,
  UNAVAILABLE: later,
  INTERNAL: later,
  // The key for APNs or Web Push in the Firebase project is invalid.
  THIRD_PARTY_AUTH_ERROR: credential,
  UNAUTHENTICATED: credential,
  PERMISSION_DENIED: credential,
}

const byStatus: Readonly<Record<number, ResponseMeaning>> = { 401: credential, 403: credential, 429: muchLater }

export function getFcmMeaning(status: number, code: string | undefined): ResponseMeaning {
  return byCode[code ?? ''] ?? byStatus[status] ?? (status >= 500 ? later : rejected)
}
