import type { Meaning } from '../client.ts'

const rejected: Meaning = { outcome: 'rejected' }
const credential: Meaning = { outcome: 'credential' }
/** FCM wants at least 10 seconds between tries (Best practices when sending messages at scale). */
const later: Meaning = { outcome: 'retry', retryAfter: 10 }
const muchLater: Meaning = { outcome: 'retry', retryAfter: 60 }

/** What each error code of FCM means (ErrorCode of the HTTP v1 API); one that FCM itself does not give is named by its status. */
const byCode: Readonly<Record<string, Meaning>> = {
  UNREGISTERED: { outcome: 'invalid_token' },
  // The token is another project's, or the service account is.
  SENDER_ID_MISMATCH: { outcome: 'rejected', suspect: true },
  // Of a token it says UNREGISTERED: this is the project.
  NOT_FOUND: { outcome: 'rejected', suspect: true },
  // Of the token only if the answer says so: a bad payload is told in the same way.
  INVALID_ARGUMENT: rejected,
  QUOTA_EXCEEDED: muchLater,
  RESOURCE_EXHAUSTED: muchLater,
  UNAVAILABLE: later,
  INTERNAL: later,
  // The key for APNs, or for web push, in the Firebase project.
  THIRD_PARTY_AUTH_ERROR: credential,
  UNAUTHENTICATED: credential,
  PERMISSION_DENIED: credential,
}

const byStatus: Readonly<Record<number, Meaning>> = { 401: credential, 403: credential, 429: muchLater }

/** What an error of FCM means: by its code, and by its status where that is new or missing. */
export function meaningOf(status: number, code: string | undefined): Meaning {
  return byCode[code ?? ''] ?? byStatus[status] ?? (status >= 500 ? later : rejected)
}
