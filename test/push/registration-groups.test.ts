import { randomBytes } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { apnsToken, fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const { ask, db } = stack
const app = await stack.app()

const register = (facts: object) => ask('POST /push/v1/installations', { body: { app_id: app, ...facts } })
const together = (all: readonly object[]) => Promise.all(all.map(register))
const fcm = (facts: object = {}) => ({ push_provider: 'fcm', token: fcmToken(), ...facts })
const subscribe = (ids: string[]) =>
  ask(`POST /push/v1/apps/${app}/topics/news/subscribe`, { body: { installation_ids: ids } })
const count = (of: ReturnType<typeof sql.fragment>) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) as count from ${of}`)

t.test('devices that register at the same time share transactions, and their users are registered once', async (t) => {
  const wanted = Array.from({ length: 200 }, (_, i) => fcm({ user_id: `shared-${i % 20}`, tags: [`tag-${i}`] }))
  const made = await together(wanted)
  t.ok(made.every(({ status }) => status === 200))
  t.same(
    made.map(({ body: { user_id, tags, token_end } }) => ({ user_id, tags, token_end })),
    wanted.map(({ user_id, tags, token }: Record<string, unknown>) => ({
      user_id,
      tags,
      token_end: String(token).slice(-8),
    })),
  )
  t.equal(new Set(made.map(({ body }) => body.id)).size, 200)
  t.equal(await count(sql.fragment`push.users where app_id = ${app} and user_id like 'shared-%'`), 20)
  const writers = await count(
    sql.fragment`(select distinct xmin::text from push.installations where app_id = ${app}) as x`,
  )
  t.ok(writers < 100, `${writers} transactions`)
})

t.test('each device keeps or loses what its own request says', async (t) => {
  const facts = { tags: ['beta'], time_zone: 'Asia/Tokyo' }
  const [kept, changed, moved, claimed, left] = [fcm(), fcm(), fcm(), fcm(), fcm()]
  const before = await together([
    { ...kept, ...facts, user_id: 'ann' },
    { ...changed, ...facts, user_id: 'ann' },
    { ...moved, ...facts, user_id: 'ann' },
    { ...claimed, ...facts },
    { ...left, ...facts, user_id: 'ann' },
  ])
  const ids = before.map(({ body }) => body.id)
  await subscribe(ids)
  const after = await together([
    { ...kept, user_id: 'ann' },
    { ...changed, user_id: 'ann', tags: [], time_zone: null },
    { ...moved, user_id: 'bob' },
    { ...claimed, user_id: 'bob' },
    left,
  ])
  const zone = 'Asia/Tokyo'
  t.match(
    after.map(({ body }) => body),
    [
      { id: ids[0], user_id: 'ann', tags: ['beta'], time_zone: zone },
      { id: ids[1], user_id: 'ann', tags: [], time_zone: null },
      { id: ids[2], user_id: 'bob', tags: [], time_zone: zone },
      { id: ids[3], user_id: 'bob', tags: ['beta'], time_zone: zone },
      { id: ids[4], user_id: null, tags: [], time_zone: zone },
    ],
  )
  const subscribed = await db.anyFirst(sql.type(z.object({ installation_id: z.guid() }))`
    select installation_id from push.subscriptions where app_id = ${app}`)
  t.same(new Set(subscribed), new Set([ids[0], ids[1], ids[3]]))
  t.equal(await count(sql.fragment`push.users where app_id = ${app} and user_id is null`), 1)
})

t.test('a device that cannot be registered harms no other device', async (t) => {
  await db.query(sql.unsafe`
    create function push.poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$`)
  await db.query(sql.unsafe`
    create trigger poison before insert on push.installations for each row
    when (new.platform = 'poison') execute function push.poison()`)
  const good = Array.from({ length: 40 }, (_, i) => fcm({ user_id: `near-${i}` }))
  const bad = [fcm({ platform: 'poison', user_id: 'near-poison' }), fcm({ app_id: newId() }), fcm({ app_id: newId() })]
  const [refused, absent, alsoAbsent, ...others] = await together([...bad, ...good])
  t.same([refused?.status, absent?.status, alsoAbsent?.status], [500, 404, 404])
  t.ok(others.every(({ status }) => status === 200))
  t.equal(await count(sql.fragment`push.users where app_id = ${app} and user_id = 'near-poison'`), 0)
  await db.query(sql.unsafe`drop trigger poison on push.installations`)
})

t.test(
  'devices of another organisation’s app are not found, and users who are removed during a registration come back',
  async (t) => {
    const strange = await ask('POST /push/v1/installations', {
      body: { app_id: app, ...fcm() },
      key: (await testOrg(db, ['push:send'])).keys.main,
    })
    t.equal(strange.status, 404)
    const tokens = Array.from({ length: 30 }, apnsToken)
    const all = tokens.map((token) => ({ push_provider: 'apns', token, user_id: 'gone' }))
    const [made] = await Promise.all([together(all), ask(`DELETE /push/v1/apps/${app}/users/gone`)])
    t.ok(made.every(({ status }) => status === 200))
  },
)

t.test('a token that is too long for the index is rejected', async (t) => {
  const ofLength = (length: number) => randomBytes(length).toString('base64url').slice(0, length)
  const [long, tooLong] = await together([2_600, 2_601].map((length) => fcm({ token: ofLength(length) })))
  t.equal(long?.status, 200)
  const issue = 'must be an FCM registration token of 20 to 2,600 characters'
  t.match(tooLong, { status: 400, body: { error: { code: 'bad_request', details: [{ field: 'body.token', issue }] } } })
  t.equal((await register(fcm({ token: ofLength(4_000) }))).status, 400)
})
