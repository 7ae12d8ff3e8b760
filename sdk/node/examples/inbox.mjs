/** Notifies a user and watches their inbox: `node inbox.mjs`. */
import { BadRequestError, Millrace } from 'millrace'

const client = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY
const user_id = crypto.randomUUID()

const { token, last_event_id } = await client.notify.stream.createToken({ user_id })
await client.notify.events.create({
  product_key: 'shop',
  type: 'order.shipped',
  subject_user_id: user_id,
  title: 'Your order is on its way',
})
for await (const { event } of client.notify.stream.watch({ user_id, token, last_event_id })) {
  console.log('event', event)
  if (event === 'item') break
}

for await (const item of client.notify.inbox.list({ user_id, limit: 10 })) console.log('inbox', item.title)

try {
  await client.notify.inbox.list({ user_id, limit: 0 })
} catch (error) {
  if (!(error instanceof BadRequestError)) throw error
  console.log('refused', error.fields.join())
}
