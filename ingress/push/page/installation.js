/**
 * `code` is an error code of the API, or `unsupported`, `permission_denied`, `worker_failed`, `subscription_failed` or
 * `unreachable`.
 */
export class PushError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number} [status]
   */
  constructor(code, message, status) {
    super(message)
    this.name = 'PushError'
    this.code = code
    this.status = status
  }
}

/**
 * Runs a transaction in IndexedDB. A page and its service worker share data there, because both can use no other store.
 */
async function within(mode, work) {
  const db = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('millrace-push', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('kept')
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction('kept', mode)
      const request = work(transaction.objectStore('kept'))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

export const read = (name) => within('readonly', (kept) => kept.get(name))
export const write = (name, value) => within('readwrite', (kept) => kept.put(value, name))
export const forget = (name) => within('readwrite', (kept) => kept.delete(name))

/** Calls the API with the page’s public key. Throws a PushError. */
export async function ask({ base, key }, method, path, body) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const sent = { method, headers, keepalive: true, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(base + path, sent).catch((error) => {
    throw new PushError('unreachable', error.message)
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  const { code = 'server_error', message = `The server returned ${response.status}.` } = answer.error ?? {}
  throw new PushError(code, message, response.status)
}

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))

/**
 * True if a subscription was created with this VAPID key. A subscription receives only messages that are signed with
 * its own key.
 */
function isMadeWith({ options }, vapid) {
  const key = options?.applicationServerKey
  if (!key) return true
  const [theirs, ours] = [new Uint8Array(key), bytesOf(vapid)]
  return theirs.length === ours.length && theirs.every((byte, at) => byte === ours[at])
}

/**
 * Returns the browser’s subscription for a VAPID key. Creates a new one if necessary. Throws a PushError if the browser
 * refuses, for example in a private window.
 */
export async function subscriptionOf({ pushManager }, vapid) {
  const before = await pushManager.getSubscription()
  if (before && isMadeWith(before, vapid)) return before
  await before?.unsubscribe()
  return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(vapid) }).catch((error) => {
    const code = error.name === 'NotAllowedError' ? 'permission_denied' : 'subscription_failed'
    throw new PushError(code, `The browser did not subscribe: ${error.message}`)
  })
}

/** Registers a subscription and stores its token. The subscription replaces the previous one. */
export async function tell(state, subscription, facts) {
  const body = {
    subscription: subscription.toJSON(),
    installation_token: state.token,
    locale: navigator.language,
    ...facts,
  }
  const answer = await ask(state, 'POST', 'browser', body)
  const { installation_token: token, installation_id: id, vapid_public_key: vapid, anonymous } = answer
  const { base, key } = state
  const told = { base, key, token, id, vapid, anonymous, endpoint: subscription.endpoint, at: Date.now() }
  await write('state', told)
  return told
}

let turn = Promise.resolve()

/** Reports receipts, together with receipts that failed before. Receipts that fail now are stored for the next time. */
export function report(receipts) {
  turn = turn.catch(() => {}).then(() => sendReceipts(receipts))
  return turn
}

async function sendReceipts(given) {
  const [state, kept = []] = [await read('state'), await read('receipts')]
  const receipts = [...kept, ...given].slice(-100)
  if (!state || receipts.length === 0) return
  try {
    await ask(state, 'POST', 'receipts', { receipts })
    if (kept.length > 0) await forget('receipts')
  } catch ({ status = 503 }) {
    if (status === 429 || status >= 500) await write('receipts', receipts)
  }
}
