import { report } from './receipts.js'

// The public key is not secret. It can only report receipts.
const key = new URL(location.href).searchParams.get('key')

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('push', (event) => event.waitUntil(received(event.data?.json())))
addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(opened(event.notification.data))
})

/** Displays each push, because browsers require this (Push API, userVisibleOnly). */
async function received({ title, body, image, data, push }) {
  const message = { title, body, data, delivery_id: push.delivery_id, receipt_token: push.receipt }
  const shown = { body: body ?? '', image, data: message, tag: push.message_id }
  await registration.showNotification(title ?? 'Message', shown)
  for (const page of await clients.matchAll()) page.postMessage(message)
  await report(message, 'displayed', key)
}

async function opened(message) {
  await report(message, 'opened', key)
  const [page] = await clients.matchAll({ type: 'window' })
  await page?.focus()
}
