import { ask, forget, PushError, read, report, subscriptionOf, tell, write } from './installation.js'

/** This file lies at `<base>client/<version>/client.js`. */
const base = new URL('../..', import.meta.url).href

const day = 24 * 3_600_000

/** Whether the browser can be pushed to; iPhones and iPads only from the home screen. */
const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/**
 * Connects a page with Millrace by the app's public key. `worker` is the site's own service worker, in which one line stands:
 * `importScripts('<base>worker.js')`. A browser that has subscribed is renewed, where that is due.
 */
export function connect({ key, worker = '/sw.js', scope } = {}) {
  if (typeof key !== 'string') throw new TypeError('connect: `key` must be the public key of the app.')

  async function registered() {
    const registration = await navigator.serviceWorker.register(worker, scope === undefined ? {} : { scope })
    if (registration.active) return registration
    const starting = registration.installing ?? registration.waiting
    await new Promise((resolve, reject) => {
      starting.addEventListener('statechange', () => {
        if (starting.state === 'activated') resolve()
        if (starting.state === 'redundant') reject(new PushError('worker_failed', `${worker} could not start.`))
      })
    })
    return registration
  }

  /** Has the API know the subscription that the browser has, once a day and whenever that has changed. */
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

  /** To be called at a click: asks for permission, subscribes, and registers the browser, of the user that a token names. */
  async function subscribe({ userToken, locale } = {}) {
    if (!isSupported())
      throw new PushError(
        'unsupported',
        'This browser does not support push notifications on this page. Push requires HTTPS.',
      )
    // Before all else: browsers ask only while the click lasts.
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
      // It was removed: it begins anew.
      if (error.code !== 'not_found' || !token) throw error
      return tell({ base, key }, subscription, facts)
    })
    return { installationId: told.id, anonymous: told.anonymous }
  }

  /** Removes the browser, as on sign-out. */
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

  /** How it stands: what a page shows its button by. */
  async function state() {
    if (!isSupported()) return { supported: false, permission: 'denied', subscribed: false }
    const { permission } = Notification
    const kept = await read('state')
    const subscribed = permission === 'granted' && kept !== undefined
    return { supported: true, permission, subscribed, ...(subscribed && { installationId: kept.id }) }
  }

  // A page works without it, too: what fails now is tried again by the next one.
  const ready = renew().catch((error) => console.warn(`millrace: ${error.message}`))
  return { subscribe, unsubscribe, state, ready }
}

export { PushError }
