import t from 'tap'
import { createApnsPayload } from '#tasks/push/rules/payload/apns.ts'
import { createPayload } from '#tasks/push/rules/payload/payload.ts'
import { prepareMessage } from '../../ingress/push/streams/events.ts'
import { createFcmMessage } from '../../workers/push/fcm/message.ts'

const marks = { message_id: 'm', delivery_id: 'd', receipt: 'r' }
const url = 'https://shop.example/order/4711'
const content = {
  title: 'Shipped',
  body: 'On its way',
  image: 'https://shop.example/all.png',
  actions: [{ action: 'track', title: 'Track', url }],
  badge: 3,
  sound: 'default',
  ios: { category: 'ORDER', thread_id: 'order-4711', sound: 'ship.caf', badge: 0 },
  android: { channel_id: 'orders', color: '#3366ff', image: 'https://shop.example/android.png' },
  web: { icon: 'https://shop.example/icon.png', url },
}

t.test('each platform gets its own parts, and those of all', async (t) => {
  t.same(createPayload('apns', content, null, marks), {
    aps: {
      alert: { title: 'Shipped', body: 'On its way' },
      'mutable-content': 1,
      badge: 0,
      sound: 'ship.caf',
      category: 'ORDER',
      'thread-id': 'order-4711',
    },
    image: 'https://shop.example/all.png',
    actions: content.actions,
    push: marks,
  })
  t.match(createPayload('fcm', content, null, marks), {
    notification: { title: 'Shipped', image: 'https://shop.example/all.png' },
    android: {
      notification: {
        channel_id: 'orders',
        color: '#3366ff',
        image: 'https://shop.example/android.png',
        sound: 'default',
        notification_count: 3,
      },
    },
    apns: { payload: { aps: { badge: 0, sound: 'ship.caf', category: 'ORDER', 'thread-id': 'order-4711' } } },
    data: { push_actions: JSON.stringify(content.actions) },
  })
  t.same(createPayload('webpush', content, null, marks), {
    title: 'Shipped',
    body: 'On its way',
    image: 'https://shop.example/all.png',
    icon: 'https://shop.example/icon.png',
    url,
    actions: content.actions,
    data: {},
    push: marks,
  })
})

t.test('a message without parts is given to each provider as it was before there were any', async (t) => {
  const plain = { title: 'Hi', data: { a: '1' } }
  t.same(createPayload('apns', plain, null, marks), { aps: { alert: { title: 'Hi' } }, data: { a: '1' }, push: marks })
  t.same(Object.keys(createPayload('fcm', plain, null, marks)), ['notification', 'data'])
  t.same(createPayload('webpush', plain, null, marks), { title: 'Hi', data: { a: '1' }, push: marks })
})

t.test('data alone may carry a badge; nothing is shown', async (t) => {
  const given = {
    text: { data: { a: '1' } },
    marks,
    parts: { badge: 2, android: { channel_id: 'x' } },
    override: undefined,
  }
  t.match(createApnsPayload(given), { aps: { 'content-available': 1, badge: 2, alert: undefined } })
  t.equal(createPayload('fcm', { ...given.text, ...given.parts }, null, marks).android, undefined)
})

t.test('what a message says for Android and iOS goes to FCM beside what the push says', async (t) => {
  const push = {
    id: 'x',
    token: 'y',
    ttl: 60,
    priority: 'high' as const,
    payload: createPayload('fcm', content, null, marks),
  }
  t.match(createFcmMessage(push), {
    android: { priority: 'high', notification: { channel_id: 'orders' } },
    apns: { headers: { 'apns-priority': '10' }, payload: { aps: { category: 'ORDER' } } },
  })
})

t.test('a stream tells the parts of browsers', async (t) => {
  const message = { id: 'm', content, priority: 5, collapse_key: null, send_at: new Date(0) }
  t.match(JSON.parse(`{${prepareMessage(message, null).json}`), {
    title: 'Shipped',
    image: 'https://shop.example/all.png',
    icon: 'https://shop.example/icon.png',
    url,
    actions: content.actions,
  })
})
