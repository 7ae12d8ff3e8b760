import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, providers } = stack

const register = async (body: object) => {
  const reply = await ask('POST /push/v1/installations', { body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body
}
const people = (app: string) =>
  stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from push.users where app_id = ${app} and user_id is null`)
const topic = (app: string, body: object) => ask(`POST /push/v1/apps/${app}/topics/news/subscribe`, { body })
const send = async (app_id: string, target: object) => {
  const { body } = await ask('POST /push/v1/messages', { body: { app_id, target, title: 'Hi' } })
  return await stack.ended(body.id)
}

t.test('a device of nobody is reached by topics, and is a person’s with all it has once it is claimed', async (t) => {
  const app = await stack.app('fcm')
  const token = fcmToken()
  const device = await register({ app_id: app, push_provider: 'fcm', token, tags: ['beta'], time_zone: 'Asia/Tokyo' })
  t.match(device, { user_id: null, tags: ['beta'], time_zone: 'Asia/Tokyo' })
  t.equal((await register({ app_id: app, push_provider: 'fcm', token })).id, device.id, 'registering again is the same')
  t.equal(await people(app), 1)
  await topic(app, { installation_ids: [device.id] })
  t.match(await send(app, { type: 'topic', id: 'news' }), { counts: { sent: 1 } })

  const claim = (user_id: string) => ask(`POST /push/v1/installations/${device.id}/claim`, { body: { user_id } })
  t.match(await claim('ann'), { status: 200, body: { id: device.id, user_id: 'ann', tags: ['beta'] } })
  t.equal(await people(app), 0, 'nobody is left behind')
  t.equal((await claim('ann')).status, 200, 'again')
  t.equal((await claim('bob')).status, 409)
  t.match(await send(app, { type: 'topic', id: 'news' }), { counts: { sent: 1 } })
  t.match(await send(app, { type: 'user', id: 'ann' }), { counts: { sent: 1 } })
  t.match(await register({ app_id: app, push_provider: 'fcm', token, user_id: 'ann' }), { tags: ['beta'] })
})

t.test('a device that moves to somebody else leaves tags and subscriptions behind', async (t) => {
  const app = await stack.app('fcm')
  const token = fcmToken()
  const device = await register({ app_id: app, user_id: 'ann', push_provider: 'fcm', token, tags: ['beta'] })
  await topic(app, { installation_ids: [device.id] })
  t.match(await register({ app_id: app, user_id: 'bob', push_provider: 'fcm', token }), { id: device.id, tags: [] })
  t.match(await send(app, { type: 'topic', id: 'news' }), { status: 'no_devices' })
  const out = await register({ app_id: app, push_provider: 'fcm', token })
  t.match(out, { id: device.id, user_id: null }, 'without a person it is nobody’s again')
  t.match(await send(app, { type: 'user', id: 'bob' }), { status: 'no_devices' })
  providers.sent = []
  t.match(await send(app, { type: 'all' }), { counts: { sent: 1 } })
  await ask(`DELETE /push/v1/installations/${device.id}`)
  t.equal(await people(app), 0, 'who was known by it alone is gone')
})

t.test('a stream of nobody is claimed as it is', async (t) => {
  const app = await stack.app()
  const device = await register({ app_id: app, push_provider: 'sse', device_id: 'tv' })
  t.equal((await register({ app_id: app, push_provider: 'sse', device_id: 'tv' })).id, device.id)
  t.equal((await register({ app_id: app, push_provider: 'sse', token: device.id })).id, device.id)
  t.match(await send(app, { type: 'all' }), { counts: { sent: 1 } })
  t.equal((await ask(`POST /push/v1/installations/${device.id}/claim`, { body: { user_id: 'ann' } })).status, 200)
  t.match(await send(app, { type: 'user', id: 'ann' }), { counts: { sent: 1 } })
  t.match((await ask(`GET /push/v1/apps/${app}/deliveries`)).body.data, [{ user_id: 'ann' }, { user_id: null }])
})
