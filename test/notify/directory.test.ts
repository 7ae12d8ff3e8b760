import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { mailsOf, notifying, notifyWorker, person } from './people.ts'

const { db, databaseUrl, teller } = await notifying(t)
const scopes = ['notify:read', 'notify:write', 'push:manage']
const [one, other] = [await teller({ scopes, domain: 'shop.example' }), await teller({ scopes })]
await notifyWorker(t, databaseUrl)
const email = 'ann@rcpt.example'
const path = (userId: string) => `/v1/notify/people/${encodeURIComponent(userId)}`

t.test('a person is kept by any id, replaced as a whole, found, listed and removed', async (t) => {
  for (const id of ['ann', 'Ann/17 ö', 'auth0|5f', '5F0C8A52-7F0E-4C5B-9F0A-0F9D3C1B2A10']) {
    const body = { name: 'Ann', email, locale: 'de_at', time_zone: 'Europe/Vienna', data: { plan: 'gold' } }
    const put = await one.ask(`PUT ${path(id)}`, { body })
    const user_id = id.startsWith('5F') ? id.toLowerCase() : id
    t.match(put.body, { user_id, email, phone: null, push: null, locale: 'de-AT', data: { plan: 'gold' } })
    t.same((await one.ask(`GET ${path(id)}`)).body, put.body)
    t.match((await one.ask(`PUT ${path(id)}`, { body: { phone: '+3725550123' } })).body, { name: null, email: null })
    t.equal((await other.ask(`GET ${path(id)}`)).status, 404)
  }
  t.equal((await one.ask('GET /v1/notify/people?limit=2')).body.data.length, 2)
  await one.ask(`PUT ${path('bob')}`, { body: { email: 'bob@rcpt.example' } })
  t.match((await one.ask('GET /v1/notify/people?email=bob@rcpt.example')).body.data, [{ user_id: 'bob' }])
  t.match((await one.ask(`DELETE ${path('ann')}`)).body, { user_id: 'ann', deleted: true })
  t.equal((await one.ask(`DELETE ${path('ann')}`)).status, 404)
})

t.test('a batch keeps all of its people or none, and names each fault', async (t) => {
  const people = Array.from({ length: 100 }, (_, n) => ({ user_id: `b${n}`, name: `N ${n}` }))
  const kept = await one.ask('POST /v1/notify/people/batch', { body: { people } })
  t.same(
    kept.body.data.map(({ user_id }: { user_id: string }) => user_id),
    people.map(({ user_id }) => user_id),
  )
  const bad = [
    { user_id: 'c1', name: 'x' },
    { user_id: 'c2', email: 'x' },
    { user_id: 'c3', phone: '1' },
  ]
  t.same(fieldsOf(await one.ask('POST /v1/notify/people/batch', { body: { people: bad } })), [
    'body.people.1.email',
    'body.people.2.phone',
  ])
  t.equal((await one.ask(`GET ${path('c1')}`)).status, 404)
  const app = (await other.ask('POST /push/v1/apps', { body: { name: 'Theirs' } })).body.id
  const theirs = [{ user_id: 'c1' }, { user_id: 'c4', push: { app_id: app } }]
  t.same(fieldsOf(await one.ask('POST /v1/notify/people/batch', { body: { people: theirs } })), [
    'body.people.1.push.app_id',
  ])
  const again = [{ user_id: 'c1' }, { user_id: 'c1' }]
  t.same(fieldsOf(await one.ask('POST /v1/notify/people/batch', { body: { people: again } })), ['body.people'])
  t.same(fieldsOf(await one.ask('POST /v1/notify/people/batch', { body: { people: people.concat(people) } })), [
    'body.people',
  ])
})

t.test('an event with the contract’s fields alone reaches a person on the channels they chose', async (t) => {
  const app = (await one.ask('POST /push/v1/apps', { body: { name: 'Shop' } })).body.id
  const user = 'customer 17'
  const body = { email, phone: '+3725550123', push: { app_id: app, user_id: 'in-the-app' } }
  t.equal((await one.ask(`PUT ${path(user)}`, { body })).status, 200)
  t.equal((await one.prefer(user, ['in_app', 'email', 'push', 'whatsapp'])).body.user_id, user)
  const told = await one.tell(user)
  t.match(told.body, {
    subject_user_id: user,
    chosen_by: 'type',
    channels: Array(4).fill({ used: true, reason: null }),
  })
  const copies = await until(async () => {
    const { copies } = (await one.ask(`GET /v1/notify/events/${told.body.id}`)).body
    return copies.some(({ status }: { status: string }) => status === 'waiting') ? false : copies
  })
  t.match(copies, [
    { channel: 'email', status: 'accepted' },
    { channel: 'push', status: 'accepted' },
    { channel: 'whatsapp', status: 'refused', reason: 'not_configured' },
  ])
  t.match(await mailsOf(db, one.orgId), [{ to: email }])
  const Target = z.object({ user_id: z.string() })
  t.equal(
    await db.oneFirst(sql.type(Target)`select user_id from push.messages where id = ${copies[1].message_id}`),
    'in-the-app',
  )
  const inbox = await one.ask(`GET /v1/notify/inbox?user_id=${encodeURIComponent(user)}`)
  t.match(inbox.body.data, [{ id: told.body.id, user_id: user }])
  t.equal(await one.unread(encodeURIComponent(user)), 1)
  t.match((await one.ask(`GET /v1/notify/preferences?user_id=${encodeURIComponent(user)}`)).body.data, [
    { user_id: user },
  ])
  t.equal((await other.inbox(encodeURIComponent(user))).length, 0)

  const stranger = person()
  await one.prefer(stranger, ['email', 'push', 'whatsapp'])
  t.match((await one.tell(stranger)).body.channels, [
    { reason: 'not_chosen' },
    { reason: 'no_address' },
    { reason: 'no_app' },
    { reason: 'no_phone' },
  ])
  t.match((await one.tell(user, { email: 'other@rcpt.example', channels: ['email'] })).body.channels[1], { used: true })
  await until(async () => (await mailsOf(db, one.orgId)).some(({ to }) => to === 'other@rcpt.example'))
})
