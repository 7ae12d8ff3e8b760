import type { Provider } from '#sql/push/installations.ts'

/** One push to one device, ready to be sent. */
export interface Push {
  /** The attempt's id: APNs takes it as `apns-id`. */
  id: string
  /** Device token (apns, fcm) or subscription (webpush). */
  token: string
  keys?: { p256dh: string; auth: string } | undefined
  /** What the provider is given: the APNs payload, the FCM message without its token, or the text that a browser gets. */
  payload: Readonly<Record<string, unknown>>
  /** Seconds that the provider may keep it; 0: now or never. */
  ttl: number
  priority: 'low' | 'normal' | 'high'
  collapseKey?: string | undefined
  /** APNs: nothing is shown. */
  background?: boolean | undefined
  /** APNs: what kind of push it is (`apns-push-type`), where it is neither an alert nor one in the background. */
  pushType?: string | undefined
  /** FCM checks it and delivers nothing. */
  dryRun?: boolean | undefined
}

/** What the provider made of one push. */
export interface PushResult {
  outcome: 'sent' | 'retry' | 'invalid_token' | 'rejected' | 'credential' | 'unknown'
  /** HTTP status of the provider; undefined when none came. */
  status?: number | undefined
  /** The provider's own word, or one for what happened: `Unregistered`, `QUOTA_EXCEEDED`, `timeout`; `not_sent`: the batch was ended first; `server_silent`: its server has not answered lately, and was not asked. */
  reason?: string | undefined
  /** A device of another app is answered so, and every device if the credential is another app's, project's or environment's. */
  suspect?: boolean | undefined
  /** Seconds to wait at least: those that the provider asks for, or its rule where it asks for none (60 after a 429). */
  retryAfter?: number | undefined
  /** For `invalid_token`: when the token was found dead; a registration after that stands (APNs `timestamp`). */
  invalidSince?: Date | undefined
  providerId?: string | undefined
  latencyMs: number
  error?: string | undefined
}

export type OnPushResults = (results: ReadonlyMap<number, PushResult>) => void

/** A credential of an app with one provider, opened. */
export interface PushCredential {
  id: string
  provider: Exclude<Provider, 'sse'>
  environment: 'production' | 'sandbox'
  facts: Readonly<Record<string, string>>
  secret: string
}

/** What sends pushes on a worker: sessions and connections to the providers (workers/push). */
export interface PushEngine {
  /**
   * Sends pushes with one credential, at most as many at once as its sessions bear; results in the same order, one for each. When
   * `signal` is aborted it returns within a second or so what is known by then. Where each push has a server of its own, `onResults` is
   * given results as they come, and what could not begin in time is `not_sent`.
   */
  send(
    credential: PushCredential,
    pushes: readonly Push[],
    signal: AbortSignal,
    onResults?: OnPushResults,
  ): Promise<PushResult[]>
  /** Asks the provider whether a credential is good; undefined when it is, else why not. Throws `EngineTrouble` when none answers. */
  check(credential: PushCredential, signal: AbortSignal): Promise<string | undefined>
}
