/** What went wrong, by a code: one of the API's, or `unsupported`, `permission_denied`, `worker_failed`, `unreachable`. */
export class PushError extends Error {
  code: string
  status?: number
}

export interface ConnectOptions {
  /** The app's public key: `bt_site_…`. */
  key: string
  /** The site's own service worker; `/sw.js` unless said. */
  worker?: string
  /** Its scope; that of its folder unless said. */
  scope?: string
}

export interface SubscribeOptions {
  /** Says whose browser it is: `POST /push/v1/user-tokens` by your server. */
  userToken?: string
  /** The language of what is sent to it; the browser's unless said. */
  locale?: string
}

export interface PushState {
  supported: boolean
  permission: 'default' | 'denied' | 'granted'
  subscribed: boolean
  installationId?: string
}

export interface Connection {
  /** To be called at a click: asks for permission, subscribes, and registers the browser. */
  subscribe(options?: SubscribeOptions): Promise<{ installationId: string; anonymous: boolean }>
  /** Removes the browser, as on sign-out. */
  unsubscribe(): Promise<void>
  state(): Promise<PushState>
  /** When a browser that has subscribed is renewed, or could not be. */
  ready: Promise<void>
}

/** Connects a page with Millrace; a browser that has subscribed is renewed, where that is due. */
export function connect(options: ConnectOptions): Connection
