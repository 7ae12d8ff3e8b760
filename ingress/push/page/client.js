import { ask, forget, PushError, read, report, subscriptionOf, tell, write } from './installation.js'

/** @import { ConnectOptions, Connection, PushState, SubscribeOptions } from './types.js' */

/** Base URL. The URL of this file is `<base>client/<version>/client.js`. */
const base = new URL('../..', import.meta.url).href

const day = 24 * 3_600_000

/** True if the browser supports push. iPhones and iPads support it only for apps on the home screen. */
const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/**
 * Connects a web page to Millrace with the app’s public key. `worker` is the site’s own service worker, which must
 * contain `importScripts('<base>worker.js')`. If the browser is subscribed and its registration is due, renews it.
 *
 * @param {ConnectOptions} options
 * @returns {Connection}
 */
export function connect({ key, worker = '/sw.js', scope }) {
  if (typeof key !== 'string') throw new TypeError('connect: `key` must be the public key of the app.')

  async function registered() {
    const registration = await navigator.serviceWorker.register(worker, scope === undefined ? {} : { scope })
    if (registration.active) return registration
    const starting = /** @type {ServiceWorker} */ (registration.installing ?? registration.waiting)
    /** @type {Promise<void>} */
    const started = new Promise((resolve, reject) => {
      starting.addEventListener('statechange', () => {
        if (starting.state === 'activated') resolve()
        if (starting.state === 'redundant') reject(new PushError('worker_failed', `${worker} could not start.`))
      })
    })
    await started
    return registration
  }

  /** Registers the browser’s current subscription with the API, once a day and after each change. */
  async function renew() {
    const kept = isSupported() ? await read('state') : undefined
    if (!kept) return
    if (Notification.permission !== 'granted') return await unsubscribe()
    const state = { ...kept, key }
    if (kept.key !== key) await write('state', state)
    await report([])
    const registration = await registered()
    const now = await registration.pushManager.getSubscription()
    if (now?.endpoint === kept.endpoint && Date.now() - kept.at < day) return
    const { vapid_public_key: vapid } = await ask(state, 'GET', 'browser')
    await tell(state, await subscriptionOf(registration, vapid)).catch(async (error) => {
      if (error.code !== 'not_found') throw error
      await forget('state')
    })
  }

  /**
   * Requests permission, subscribes, and registers the browser for the user in `userToken`. Call this function in a
   * click handler.
   *
   * @type {(options?: SubscribeOptions) => Promise<{ installationId: string, anonymous: boolean }>}
   */
  async function subscribe({ userToken, locale } = {}) {
    if (!isSupported())
      throw new PushError(
        'unsupported',
        'This browser does not support push notifications on this page. Push requires HTTPS.',
      )
    // Browsers allow this request only directly after a click.
    const permission = await Notification.requestPermission()
    if (permission !== 'granted') throw new PushError('permission_denied', 'Notifications are not allowed.')
    await ready
    const registration = await registered()
    const { vapid_public_key: vapid } = await ask({ base, key }, 'GET', 'browser')
    const subscription = await subscriptionOf(registration, vapid)
    const facts = { ...(userToken && { user_token: userToken }), ...(locale && { locale }) }
    const kept = await read('state')
    const token = kept?.base === base ? kept.token : undefined
    const told = await tell({ base, key, token }, subscription, facts).catch((error) => {
      // The installation was deleted, so the browser registers as a new one.
      if (error.code !== 'not_found' || !token) throw error
      return tell({ base, key }, subscription, facts)
    })
    return { installationId: told.id, anonymous: told.anonymous }
  }

  async function unsubscribe() {
    const state = await read('state')
    if (!state) return
    await ask({ ...state, key }, 'POST', 'browser/unsubscribe', { installation_token: state.token }).catch((error) => {
      if (error.code !== 'not_found') throw error
    })
    await forget('state')
    const registration = await navigator.serviceWorker.getRegistration(scope)
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
  }

  /** @type {() => Promise<PushState>} */
  async function state() {
    if (!isSupported()) return { supported: false, permission: 'denied', subscribed: false }
    const { permission } = Notification
    const kept = await read('state')
    const subscribed = permission === 'granted' && kept !== undefined
    return { supported: true, permission, subscribed, ...(subscribed && { installationId: kept.id }) }
  }

  // The page does not need the renewal. If it fails, the next page retries it.
  const ready = renew().catch((error) => console.warn(`millrace: ${error.message}`))
  return { subscribe, unsubscribe, state, ready }
}

export { PushError }
