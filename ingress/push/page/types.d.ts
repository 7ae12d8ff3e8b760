export interface ConnectOptions {
  /** The app's public key: `bt_site_…`. */
  key: string
  /** URL of the site's own service worker. Default: `/sw.js`. */
  worker?: string
  /** Scope of the service worker. Default: its folder. */
  scope?: string
}

export interface SubscribeOptions {
  /** Token of the user, which your server creates with `POST /push/v1/user-tokens`. */
  userToken?: string
  /** Language of the messages. Default: the browser's language. */
  locale?: string
}

export interface PushState {
  supported: boolean
  permission: 'default' | 'denied' | 'granted'
  subscribed: boolean
  installationId?: string
}

export interface Connection {
  /** Requests permission, subscribes and registers the browser. Call it in a click handler. */
  subscribe(options?: SubscribeOptions): Promise<{ installationId: string; anonymous: boolean }>
  /** Removes the browser, for example when the user signs out. */
  unsubscribe(): Promise<void>
  state(): Promise<PushState>
  /** Resolves when a subscribed browser is renewed, or when this failed. */
  ready: Promise<void>
}
