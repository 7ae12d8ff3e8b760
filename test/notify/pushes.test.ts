import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { fakeProviders, pushPlan } from '../push/stack.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { notifying, notifyWorker, person, type Teller } from './people.ts'

const { db, databaseUrl, teller } = await notifying(t)
const scopes = ['notify:read', 'notify:write', 'push:send', 'push:manage']
const [one, other] = [await teller({ scopes, domain: 'shop.example' }), await teller({ scopes })]
await notifyWorker(t, databaseUrl)
const lease = { lease: 60_000, sweep: 500, grace: 1_000 }
const fleet = await startFleet(databaseUrl, [pushPlan(fakeProviders()) as PoolPlan], lease, () => {})
t.teardown(() => fleet.stop())

const newApp = async (who: Teller) =>
  (await who.ask('POST /push/v1/apps', { body: { name: 'Shop' } })).body.id as string
const app = await newApp(one)
const device = (userId: string) =>
  one.ask('POST /push/v1/installations', { body: { app_id: app, user_id: userId, push_provider: 'sse' } })

/** The copies of an event once none of them waits. */
const copiesOf = (id: string) =>
  until(async () => {
    const { copies } = (await one.ask(`GET /v1/notify/events/${id}`)).body
    return copies.some(({ status }: { status: string }) => status === 'waiting') ? false : copies
  })

t.test('a push copy reaches the person’s devices through the push area, once for a dedupe key', async (t) => {
  const user = person()
  t.equal((await device(user)).status, 200)
  await one.prefer(user, ['in_app', 'push', 'email'])
  const facts = { body: 'x'.repeat(600), data: { order: '1042' }, url: 'https://shop.example/1', dedupe_key: 'k' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => one.tell(user, { ...facts, push: { app_id: app }, email: 'ann@rcpt.example' })),
  )
  const { id, channels } = answers[0]?.body ?? {}
  t.match(channels, [{ used: true }, { used: true }, { channel: 'push', used: true, reason: null, digest: false }])
  const copies = await copiesOf(id)
  t.match(copies, [
    { channel: 'email', status: 'accepted' },
    { channel: 'push', status: 'accepted', reason: null },
  ])
  const message = await until(async () => {
    const { body } = await one.ask(`GET /push/v1/messages/${copies[1].message_id}`)
    return body.ended_at === null ? false : body
  })
  t.match(message, { app_id: app, target: { type: 'user', id: user }, status: 'sent', counts: { devices: 1, sent: 1 } })
  const Content = z.object({ content: z.unknown() })
  const content = await db.oneFirst(sql.type(Content)`select content from push.messages where id = ${message.id}`)
  t.same(content, {
    title: 'Your order is on its way',
    body: `${'x'.repeat(499)}…`,
    data: { order: '1042', event_id: id, url: 'https://shop.example/1' },
  })
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from push.messages where org_id = ${one.orgId}`), 1)
})

t.test('why no push goes out is in the answer or on record', async (t) => {
  const chosen = { channels: ['push'] }
  t.match((await one.tell(person(), chosen)).body.channels[2], { channel: 'push', used: false, reason: 'no_app' })
  const outcome = async (facts: Record<string, unknown>, user = person()) => {
    const { id } = (await one.tell(user, { ...chosen, ...facts })).body
    const [{ status, reason }] = await copiesOf(id)
    return [status, reason]
  }
  t.same(await outcome({ push: { app_id: await newApp(other) } }), ['refused', 'not_found'])
  t.same(await outcome({ push: { app_id: person() } }), ['refused', 'not_found'])
  const data = Object.fromEntries(Array.from({ length: 3 }, (_, n) => [`n${n}`, 'x'.repeat(2_000)]))
  t.same(await outcome({ push: { app_id: app }, data }), ['refused', 'payload_too_large'])
  t.same(
    await outcome({ push: { app_id: app } }),
    ['accepted', null],
    'a person without devices is the push area’s matter',
  )
  for (const push of [{}, { app_id: 'x' }]) {
    t.same(fieldsOf(await one.tell(person(), { push })), ['body.push.app_id'])
  }
})

t.test('a key that is bound to an app pushes to no other', async (t) => {
  const bound = await teller({ scopes })
  const [own, another] = [await newApp(bound), await newApp(bound)]
  await db.query(sql.unsafe`
    update account.keys set locks = jsonb_build_object('app_id', ${own}::text) where org_id = ${bound.orgId}`)
  const tell = (app_id: string) => bound.tell(person(), { channels: ['push'], push: { app_id } })
  await until(async () => (await tell(another)).status === 403)
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => tell(n % 2 ? own : another)))
  t.same(
    answers.map(({ status }) => status),
    Array.from({ length: 10 }, (_, n) => (n % 2 ? 200 : 403)),
  )
})
