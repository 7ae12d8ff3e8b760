import { forget, read, report, subscriptionOf, tell } from './installation.js'

/** Returns the message if the push is from Millrace. The worker may also receive other pushes. */
function messageIn(data) {
  try {
    const message = data.json()
    return message.push?.delivery_id && message.push.receipt ? message : undefined
  } catch {
    return undefined
  }
}

addEventListener('push', (event) => {
  const message = messageIn(event.data)
  if (message) event.waitUntil(received(message))
})

addEventListener('notificationclick', (event) => {
  const shown = event.notification.data?.millrace
  if (!shown) return
  event.notification.close()
  const action = shown.actions?.find((one) => one.action === event.action)
  event.waitUntil(Promise.all([open(action?.url ?? shown.url), receipt(shown, 'opened')]))
})

addEventListener('notificationclose', (event) => {
  const shown = event.notification.data?.millrace
  if (shown) event.waitUntil(receipt(shown, 'dismissed'))
})

addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

const receipt = ({ push }, event) => report([{ delivery_id: push.delivery_id, token: push.receipt, event }])

/**
 * Displays a message and sends it to open pages. Browsers require that each push is displayed (Push API,
 * userVisibleOnly).
 */
async function received(message) {
  const { title, body, icon, badge, image, actions, lang, dir, vibrate, silent, requireInteraction, timestamp, push } =
    message
  const url = message.url ?? message.data?.url
  const shown = { body, icon, badge, image, actions, lang, dir, vibrate, silent, requireInteraction, timestamp }
  const set = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
  const tag = message.tag ?? push.message_id
  const seen = await registration
    .showNotification(title ?? location.hostname, { ...set, tag, data: { millrace: { push, url, actions } } })
    .then(() => 'displayed')
    .catch(() => 'delivered')
  for (const page of await clients.matchAll({ type: 'window', includeUncontrolled: true })) {
    page.postMessage({ millrace: message })
  }
  await receipt(message, seen)
}

async function open(url) {
  const target = addressOf(url)
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find((one) => one.url === target) ?? (url ? undefined : pages[0])
  return page ? page.focus() : clients.openWindow(target)
}

function addressOf(url = '') {
  try {
    const { protocol, href } = new URL(url, registration.scope)
    if (protocol === 'https:' || protocol === 'http:') return href
  } catch {}
  return registration.scope
}

/** Registers the browser’s current subscription. If this fails, the next open page retries it. */
async function renew({ newSubscription }) {
  const state = await read('state')
  if (!state) return
  const subscription = newSubscription ?? (await subscriptionOf(registration, state.vapid))
  await tell(state, subscription).catch(({ code }) => code === 'not_found' && forget('state'))
}
