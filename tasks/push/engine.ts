import type { Provider } from '#sql/push/installations.ts'

export interface Push {
  /** ID of the attempt. APNs receives it as `apns-id`. */
  id: string
  /** Device token (apns, fcm) or subscription (webpush). */
  token: string
  keys?: { p256dh: string; auth: string } | undefined
  /** Payload for the provider: the APNs payload, the FCM message without its token, or the text for a browser. */
  payload: Readonly<Record<string, unknown>>
  /** Time in seconds for which the provider may keep the push. 0: deliver now or never. */
  ttl: number
  priority: 'low' | 'normal' | 'high'
  collapseKey?: string | undefined
  /** APNs: true if nothing is shown. */
  background?: boolean | undefined
  /** APNs: type of the push (`apns-push-type`), if neither alert nor background. */
  pushType?: string | undefined
  /** True if FCM only checks the push. */
  dryRun?: boolean | undefined
}

export interface PushResult {
  outcome: 'sent' | 'retry' | 'invalid_token' | 'rejected' | 'credential' | 'unknown'
  /** HTTP status of the provider. Undefined without a response. */
  status?: number | undefined
  /**
   * Error of the provider, or a word for what happened: `Unregistered`, `QUOTA_EXCEEDED`, `timeout`. `not_sent`: the
   * batch ended before the push was sent. `server_silent`: the server has not responded recently and was not called.
   */
  reason?: string | undefined
  /**
   * True for errors that have two possible causes: the device belongs to another app, or the credential belongs to
   * another app, project or environment. In the second case, every device gets the error.
   */
  suspect?: boolean | undefined
  /**
   * Minimum delay in seconds: requested by the provider, or by the provider’s rule if it requests none (60 after a
   * 429).
   */
  retryAfter?: number | undefined
  /** For `invalid_token`: time when the token became invalid (APNs `timestamp`). Later registrations are kept. */
  invalidSince?: Date | undefined
  providerId?: string | undefined
  latencyMs: number
  error?: string | undefined
}

/** Receives each result once, by its index in the batch. The results of the whole batch are also returned. */
export type OnPushResults = (results: ReadonlyMap<number, PushResult>) => void

export interface PushCredential {
  id: string
  provider: Exclude<Provider, 'sse'>
  environment: 'production' | 'sandbox'
  facts: Readonly<Record<string, string>>
  secret: string
}

/** Sends pushes on a worker, with sessions and connections to the providers (workers/push). */
export interface PushEngine {
  /**
   * Sends pushes with one credential, as many at the same time as its sessions allow. Returns one result for each push,
   * in order. After `signal` aborts, returns the known results within about a second. If each push has its own server,
   * `onResults` receives results as they arrive, and pushes that could not start in time are `not_sent`.
   */
  send(
    credential: PushCredential,
    pushes: readonly Push[],
    signal: AbortSignal,
    onResults?: OnPushResults,
  ): Promise<PushResult[]>
  /**
   * Checks a credential with the provider. Returns undefined if it is valid, otherwise the reason. Throws
   * `TransientEngineError` if the provider does not respond.
   */
  check(credential: PushCredential, signal: AbortSignal): Promise<string | undefined>
}
