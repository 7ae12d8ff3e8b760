import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { crowd } from './crowds.ts'
import { apnsToken, fcmToken, pushStack, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, providers } = stack
t.beforeEach(() => {
  providers.sent = []
  providers.answer = () => ({})
})

const post = async (app_id: string, target: object, facts: object = {}) => {
  const reply = await ask('POST /push/v1/messages', { body: { app_id, target, title: 'Hi', ...facts } })
  if (reply.status !== 202) throw new Error(reply.text)
  return reply.body
}
const tokens = () => providers.sent.map(({ push }) => push.token).sort()
const subscribe = (app: string, topic: string, body: object, word = 'subscribe') =>
  ask(`POST /push/v1/apps/${app}/topics/${topic}/${word}`, { body })

t.test('a message to named people reaches the devices of each, once, and nobody else’s', async (t) => {
  const app = await stack.app('fcm')
  const [ann, bob, eve] = [fcmToken(), fcmToken(), fcmToken()]
  for (const [user, token] of [
    ['ann', ann],
    ['bob', bob],
    ['eve', eve],
  ] as const)
    await stack.device(app, user, { push_provider: 'fcm', token })
  const { id, status } = await post(app, { type: 'users', ids: ['ann', 'bob', 'ann', 'nobody'] })
  t.equal(status, 'queued')
  t.match(await stack.ended(id), {
    status: 'sent',
    target: { type: 'users', ids: ['ann', 'bob', 'nobody'] },
    counts: { devices: 2, sent: 2 },
  })
  t.same(tokens(), [ann, bob].sort())
  const none = await post(app, { type: 'users', ids: ['nobody'] })
  t.match(await stack.ended(none.id), { status: 'no_devices', counts: { devices: 0 } })
})

t.test('a topic has people with all of their devices, later ones too, and single devices', async (t) => {
  const app = await stack.app('fcm')
  const [one, two, bobs, other] = [fcmToken(), fcmToken(), fcmToken(), fcmToken()]
  await stack.device(app, 'ann', { push_provider: 'fcm', token: one })
  const device = await stack.device(app, 'bob', { push_provider: 'fcm', token: bobs })
  await stack.device(app, 'bob', { push_provider: 'fcm', token: other })
  t.match(await subscribe(app, 'news', { user_ids: ['ann', 'later'], installation_ids: [device.id] }), {
    status: 200,
    body: { topic: 'news', users: 2, installations: 1 },
  })
  t.equal((await subscribe(app, 'news', { user_ids: ['ann'], installation_ids: [device.id] })).status, 200, 'again')
  await stack.device(app, 'ann', { push_provider: 'fcm', token: two })
  const first = await post(app, { type: 'topic', id: 'news' })
  t.match(await stack.ended(first.id), {
    status: 'sent',
    target: { type: 'topic', id: 'news' },
    counts: { devices: 3 },
  })
  t.same(tokens(), [one, two, bobs].sort())

  t.match((await ask(`GET /push/v1/apps/${app}/topics`)).body.data, [{ topic: 'news' }])
  const listed = await ask(`GET /push/v1/apps/${app}/topics/news/subscriptions`)
  t.same(
    listed.body.data.map(({ user_id, installation_id }: Record<string, string>) => [user_id, installation_id]).sort(),
    [
      ['ann', null],
      ['bob', device.id],
      ['later', null],
    ],
  )
  providers.sent = []
  await subscribe(app, 'news', { user_ids: ['ann'] }, 'unsubscribe')
  t.match(await stack.ended((await post(app, { type: 'topic', id: 'news' })).id), { counts: { devices: 1 } })
  t.same(tokens(), [bobs])
})

t.test('who leaves a topic while its message waits does not get it', async (t) => {
  const app = await stack.app('apns')
  const [ann, bob] = [apnsToken(), apnsToken()]
  await stack.device(app, 'ann', { push_provider: 'apns', token: ann })
  const device = await stack.device(app, 'bob', { push_provider: 'apns', token: bob })
  await subscribe(app, 'news', { user_ids: ['ann'], installation_ids: [device.id] })
  const breaker = (open: boolean) =>
    stack.db.query(sql.typeAlias('void')`
      update push.credentials set open_until = now() + ${open ? 3_600 : -1} * interval '1 second' where app_id = ${app} and provider = 'apns'`)
  await breaker(true)
  const { id } = await post(app, { type: 'topic', id: 'news' })
  await until(async () => (await stack.trace(id)).length === 2)
  await subscribe(app, 'news', { user_ids: ['ann'] }, 'unsubscribe')
  await breaker(false)
  await stack.ask(`POST /push/v1/apps/${app}/credentials/apns/retry`, { body: {} })
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 2, sent: 1, cancelled: 1 } })
  t.same(tokens(), [bob])
})

t.test('a segment has the devices with its tags', async (t) => {
  const app = await stack.app('fcm')
  const [beta, both, none] = [fcmToken(), fcmToken(), fcmToken()]
  await stack.device(app, 'ann', { push_provider: 'fcm', token: beta, tags: ['beta', 'vienna'] })
  const device = await stack.device(app, 'bob', { push_provider: 'fcm', token: both, tags: ['beta', 'paid'] })
  await stack.device(app, 'eve', { push_provider: 'fcm', token: none })
  const reach = async (tags: object) => {
    providers.sent = []
    await stack.ended((await post(app, { type: 'segment', tags })).id)
    return tokens()
  }
  t.same(await reach({ all: ['beta'] }), [beta, both].sort())
  t.same(await reach({ all: ['beta'], none: ['paid'] }), [beta])
  t.same(await reach({ any: ['paid', 'vienna'] }), [beta, both].sort())
  t.same(await reach({ all: ['beta', 'paid', 'vienna'] }), [])
  t.match(
    await ask(`PATCH /push/v1/installations/${device.id}`, { body: { tags: ['vienna'], time_zone: 'Europe/Vienna' } }),
    {
      status: 200,
      body: { tags: ['vienna'], time_zone: 'Europe/Vienna', user_id: 'bob' },
    },
  )
  t.same(await reach({ none: ['paid'] }), [beta, both, none].sort())
})

t.test(
  'a message to all reaches every active device of the app, those of nobody too, and streams by their events',
  async (t) => {
    const [app, other] = [await stack.app('fcm'), await stack.app('fcm')]
    await crowd(stack, { appId: app, people: 30, providers: ['fcm', 'sse'] })
    await crowd(stack, { appId: other, people: 3, providers: ['fcm'] })
    const web = subscription()
    await ask('POST /push/v1/installations', { body: { app_id: app, push_provider: 'webpush', subscription: web } })
    for (let n = 1; n <= 2; n++) {
      const { id } = await post(app, { type: 'all' })
      t.match(await stack.ended(id), { status: 'sent', counts: { devices: 61, sent: 61 } })
    }
    t.equal(providers.sent.length, 62)
    t.equal(new Set(tokens()).size, 31)
    const events = await stack.db.anyFirst(sql.type(z.object({ event: z.number() }))`
    select distinct event from push.deliveries where app_id = ${app} and provider = 'sse' order by event`)
    t.same(events, [1, 2], 'each person has a numbering')
  },
)

t.test('one who was removed is gone with devices, subscriptions and messages; others stay', async (t) => {
  const app = await stack.app('fcm')
  const token = fcmToken()
  await stack.device(app, 'ann/é', { push_provider: 'fcm', token })
  const stream = await stack.device(app, 'ann/é', { push_provider: 'sse' })
  await stack.device(app, 'bob', { push_provider: 'fcm', token: fcmToken() })
  await subscribe(app, 'news', { user_ids: ['ann/é', 'bob'] })
  const past = await stack.send(app, 'ann/é')
  await stack.ended(past.id)
  const later = await stack.send(app, 'ann/é', {
    title: 'later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const bobs = await stack.send(app, 'bob')
  const path = `/push/v1/apps/${app}/users/${encodeURIComponent('ann/é')}`
  t.match(await ask(`DELETE ${path}`), { status: 200, body: { user_id: 'ann/é', installations: 2, deleted: true } })
  t.equal((await ask(`DELETE ${path}`)).status, 404)
  t.equal(
    (await ask(`GET /push/v1/apps/${app}/installations?user_id=${encodeURIComponent('ann/é')}`)).body.data.length,
    0,
  )
  for (const { id } of [past, later])
    await until(async () => (await ask(`GET /push/v1/messages/${id}`)).status === 404, { what: 'it is deleted' })
  t.equal((await ask(`GET /push/v1/messages/${bobs.id}`)).status, 200)
  providers.sent = []
  t.match(await stack.ended((await post(app, { type: 'topic', id: 'news' })).id), { counts: { devices: 1 } })
  t.equal((await ask(`DELETE /push/v1/installations/${stream.id}`)).status, 404)
})

t.test('messages are listed, newest first, and by person and kind', async (t) => {
  const app = await stack.app('fcm')
  const one = await stack.send(app, 'ann')
  const two = await post(app, { type: 'topic', id: 'news' }, { rate: 50, quiet_hours: { from: '22:00', to: '07:00' } })
  const list = async (query: string) =>
    (await ask(`GET /push/v1/messages?app_id=${app}${query}`)).body.data.map(({ id }: { id: string }) => id)
  t.same(await list(''), [two.id, one.id])
  t.same(await list('&user_id=ann'), [one.id])
  t.same(await list('&target=topic'), [two.id])
  t.same(await list('&target=all'), [])
  t.match(await stack.ended(two.id), { rate: 50, quiet_hours: { from: '22:00', to: '07:00', time_zone: 'UTC' } })
  t.equal((await ask('GET /push/v1/messages?app_id=0198f1c2-7f00-7000-8000-000000000001')).status, 404)
})
