const octets = (base64url) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))

export function offerWebPush({ vapid, app, user, key, show, tell, element }) {
  const button = element('subscribe')
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
    return tell('web-push', 'This browser does not support push, or supports it only on HTTPS pages.')
  }
  if (!vapid) return tell('web-push', 'The URL of this page has no VAPID key.')
  button.disabled = false
  button.addEventListener('click', () => {
    button.disabled = true
    tell('web-push', 'Requesting permission…')
    subscribe({ vapid, key })
      .then((subscription) => {
        const body = { app_id: app, user_id: user, push_provider: 'webpush', platform: 'web', subscription }
        element('subscription').textContent = JSON.stringify(body, null, 2)
        element('subscribed').hidden = false
        tell('web-push', 'Subscribed.')
      })
      .catch((error) => {
        tell('web-push', `Not subscribed: ${error.message}`)
        button.disabled = false
      })
  })
  navigator.serviceWorker.addEventListener('message', ({ data }) => show(data))
}

async function subscribe({ vapid, key }) {
  const worker = `/push/demo/worker.js?${new URLSearchParams({ key })}`
  const registration = await navigator.serviceWorker.register(worker, { type: 'module', scope: '/push/demo' })
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error("Notifications are not allowed. Allow them in the browser's settings.")
  await navigator.serviceWorker.ready
  return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: octets(vapid) })
}
