/** Sends a message to a user and receives it on their device: `node push.mjs`. */
import { Millrace } from 'millrace'

const client = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY

const app = await client.push.createApp({ name: 'Example' })
const device = await client.push.registerInstallation({
  app_id: app.id,
  user_id: 'user-17',
  push_provider: 'sse',
  platform: 'web',
})
const message = await client.push.send({
  app_id: app.id,
  target: { type: 'user', id: 'user-17' },
  title: 'Shipped',
  body: 'Your order is on its way',
})
console.log('accepted', message.status)

// Device side: opens its stream and sends a receipt for each message.
for await (const { event, data } of client.push.stream.watch({ token: device.stream?.token })) {
  if (event !== 'message') continue
  const { delivery_id, title, receipt_token } = data
  console.log('received', title)
  await client.push.receipt({ delivery_id, event: 'displayed', token: receipt_token })
  break
}

console.log('is', (await client.push.getMessage(message.id)).status)
for await (const delivery of client.push.listDeliveries(app.id)) console.log('delivery', delivery.status)
await client.push.apps.remove(app.id)
