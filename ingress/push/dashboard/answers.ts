/** What a provider's answer or another reason means, and what to do. */
export interface Advice {
  means: string
  todo: string
}

const advice = (means: string, todo: string): Advice => ({ means, todo })

const gone = advice(
  'The app or the subscription no longer exists on the device.',
  'Nothing to do. Millrace sends no more to this device until it registers again.',
)
const badKey = advice(
  'The provider rejects the credential of the app.',
  'Open the app, check its credential, and upload a valid one. Deliveries wait until then.',
)
const wrongApp = advice(
  'The token belongs to another app, team or project.',
  'Register the device with the app that created the token, or upload the credential of that app.',
)
const slow = advice(
  'The provider limits the number of messages.',
  'Nothing to do. Millrace retries later. To prevent this, set a rate.',
)
const failing = advice(
  'The provider is temporarily unavailable.',
  'Nothing to do. Millrace retries until the message expires.',
)
const tooLarge = advice(
  'The payload is larger than the provider allows.',
  'Shorten the text or `data`, and send the message again.',
)
const invalid = advice(
  'The provider rejects a field of the message.',
  'Compare the payload below with the provider’s documentation. Check `overrides` first.',
)
const removed = advice('The device was removed before the delivery.', 'Nothing to do.')

const reasons: Readonly<Record<string, Advice>> = {
  BadDeviceToken: advice(
    'The token is invalid, or it belongs to the other APNs environment.',
    'Register builds from Xcode with `environment: sandbox`, and App Store builds with `production`.',
  ),
  DeviceTokenNotForTopic: advice(
    'The token belongs to another bundle ID.',
    'Compare the topic of the credential with the bundle ID of the app.',
  ),
  Unregistered: gone,
  ExpiredToken: gone,
  UNREGISTERED: gone,
  gone,
  not_found: gone,
  PayloadTooLarge: tooLarge,
  payload_too_large: tooLarge,
  PayloadEmpty: invalid,
  BadCollapseId: invalid,
  BadPriority: invalid,
  BadExpirationDate: invalid,
  InvalidPushType: invalid,
  INVALID_ARGUMENT: invalid,
  'invalid-payload': invalid,
  bad_request: invalid,
  BadTopic: badKey,
  MissingTopic: badKey,
  TopicDisallowed: badKey,
  InvalidProviderToken: badKey,
  MissingProviderToken: badKey,
  ExpiredProviderToken: badKey,
  BadCertificate: badKey,
  BadCertificateEnvironment: badKey,
  BadEnvironmentKeyIdInToken: badKey,
  UnrelatedKeyIdInToken: badKey,
  Forbidden: badKey,
  UNAUTHENTICATED: badKey,
  PERMISSION_DENIED: badKey,
  access_token: badKey,
  THIRD_PARTY_AUTH_ERROR: advice(
    'The APNs or Web Push key in the Firebase project is invalid.',
    'Upload the key in the Firebase console, under Cloud Messaging.',
  ),
  SENDER_ID_MISMATCH: wrongApp,
  NOT_FOUND: advice('The Firebase project is unknown.', 'Upload the service account of the project that the app uses.'),
  TooManyRequests: slow,
  TooManyProviderTokenUpdates: slow,
  QUOTA_EXCEEDED: slow,
  RESOURCE_EXHAUSTED: slow,
  too_many_requests: slow,
  InternalServerError: failing,
  ServiceUnavailable: failing,
  Shutdown: failing,
  IdleTimeout: failing,
  UNAVAILABLE: failing,
  INTERNAL: failing,
  service_failed: failing,
  server_silent: failing,
  connection_failed: failing,
  connection_closed: failing,
  unresolved: failing,
  timeout: advice('The provider did not respond in time.', 'The device may have the message. Millrace retries.'),
  connection_lost: advice(
    'The connection broke before a response.',
    'The device may have the message. Millrace retries.',
  ),
  vapid_mismatch: advice(
    'The browser subscribed with another VAPID key.',
    'Subscribe the browser again with the VAPID public key of the app.',
  ),
  bad_subscription_keys: advice(
    'The keys of the subscription are invalid.',
    'Register the browser again with its subscription.',
  ),
  bad_endpoint: advice(
    'The endpoint of the subscription is invalid.',
    'Register the browser again with its subscription.',
  ),
  address_refused: advice('The endpoint has a private address.', 'Register the browser again with its subscription.'),
  port_refused: advice(
    'The endpoint has a port that Millrace does not use.',
    'Register the browser again with its subscription.',
  ),
  no_credential: advice(
    'The app has no credential for this provider and environment.',
    'Upload the credential on the page of the app, then send the message again.',
  ),
  ttl: advice('The time to live ended before the delivery.', 'Send the message again with a longer `ttl`.'),
  message_removed: removed,
  installation_removed: removed,
  installation_moved: advice(
    'Another person uses the device now.',
    'Nothing to do. The message was for the former person.',
  ),
  installation_invalidated: advice(
    'The provider had rejected the device before.',
    'Nothing to do. The device must register again.',
  ),
  left_segment: advice('The device no longer has the tags of the segment.', 'Nothing to do.'),
  unsubscribed: advice('The person unsubscribed from the topic.', 'Nothing to do.'),
  cancelled: advice('The message was cancelled.', 'Nothing to do.'),
  dry_run: advice('The message was a dry run.', 'Nothing to do. No device receives it.'),
}

const statuses: Readonly<Record<number, Advice>> = {
  401: badKey,
  403: badKey,
  404: gone,
  410: gone,
  413: tooLarge,
  429: slow,
}

/** Returns the meaning of an answer. Undefined if the answer needs no explanation or is unknown. */
export function explainAnswer(reason: string | null, status: number | null = null): Advice | undefined {
  const known = reason === null ? undefined : reasons[reason]
  if (known) return known
  if (status === null) return undefined
  return statuses[status] ?? (status >= 500 ? failing : status >= 400 ? invalid : undefined)
}
