import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { wakeLanes } from '#tasks/push/deliver.ts'
import { until } from '../support/until.ts'
import { crowd } from './crowds.ts'
import { fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, providers } = stack
t.beforeEach(() => {
  providers.sent = []
})

const post = async (app_id: string, target: object, facts: object = {}) =>
  (await ask('POST /push/v1/messages', { body: { app_id, target, title: 'Hi', ...facts } })).body

/** Hours that go on now by UTC, and those that do not. */
const clock = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16)
const now = () => ({ from: clock(-60), to: clock(60) })
const later = () => ({ from: clock(60), to: clock(120) })

/** Lets the quiet hours of a message end: as if time had passed. */
async function wakeUp(app_id: string, messageId: string): Promise<void> {
  await stack.db.query(sql.typeAlias('void')`
    update push.messages set quiet_hours = ${sql.jsonb({ ...later(), time_zone: 'UTC' })} where id = ${messageId}`)
  await stack.db.query(sql.typeAlias('void')`
    update push.deliveries set due_at = now() - interval '2 minutes' where message_id = ${messageId} and status = 'queued'`)
  const lanes = (['fcm', 'sse'] as const).map((provider) => {
    const lane = { app_id, org_id: stack.orgId, provider, environment: 'production' as const }
    return { lane, deliveries: 1 }
  })
  await wakeLanes(stack.db, lanes)
}

t.test('a message to many keeps to its rate', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 40 })
  const { id } = await post(app, { type: 'all' }, { rate: 10 })
  const ended = await stack.ended(id)
  t.match(ended, { status: 'sent', rate: 10, counts: { devices: 40, sent: 40 } })
  const seconds = (Date.parse(ended.ended_at) - Date.parse(ended.created_at)) / 1_000
  t.ok(seconds >= 2.9, `${seconds} s`)
  const most = await stack.db.oneFirst(sql.type(z.object({ most: z.number() }))`
    select max(n) as most from (
      select count(*) as n from push.deliveries where message_id = ${id} group by created_at) as pages`)
  t.equal(most, 10, 'as many at a time as are due in a second')
})

t.test('a message to many that is cancelled goes to nobody whom it has not reached', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 300 })
  const { id } = await post(app, { type: 'all' }, { rate: 5 })
  await until(() => providers.sent.length >= 5)
  t.match(await ask(`DELETE /push/v1/messages/${id}`), { status: 200, body: { status: 'cancelled' } })
  t.equal((await ask(`DELETE /push/v1/messages/${id}`)).status, 200, 'twice is the same')
  await until(async () => (await ask(`GET /push/v1/messages/${id}`)).body.counts.queued === 0)
  const { body } = await ask(`GET /push/v1/messages/${id}`)
  t.match(body, { status: 'cancelled' })
  t.ok(body.counts.devices < 250, `${body.counts.devices} had been found`)
  t.equal(body.counts.sent, providers.sent.length)
})

t.test('what waits of a cancelled message is ended, without a push', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 20, providers: ['webpush', 'sse'] })
  const { id } = await post(app, { type: 'all' }, { quiet_hours: now() })
  await until(async () => (await ask(`GET /push/v1/messages/${id}`)).body.counts.queued === 40)
  await ask(`DELETE /push/v1/messages/${id}`)
  await until(async () => (await ask(`GET /push/v1/messages/${id}`)).body.counts.cancelled === 40)
  t.equal(providers.sent.length, 0)
})

t.test('quiet hours are each person’s: what comes within them waits until they end', async (t) => {
  const app = await stack.app('fcm')
  const [ann, bob] = [fcmToken(), fcmToken()]
  await ask('POST /push/v1/users', { body: { app_id: app, user_id: 'ann', time_zone: 'UTC' } })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: ann })
  await stack.device(app, 'ann', { push_provider: 'sse' })
  await stack.device(app, 'bob', { push_provider: 'fcm', token: bob, time_zone: 'Asia/Tokyo' })
  const { id } = await post(app, { type: 'users', ids: ['ann', 'bob'] }, { quiet_hours: now() })
  await until(() => providers.sent.length === 1)
  await until(async () => (await stack.trace(id)).filter(({ status }) => status === 'sent').length === 1)
  t.equal(providers.sent[0]?.push.token, bob)
  const waiting = (await stack.trace(id)).filter(({ status }) => status === 'queued')
  t.match(waiting, [{ reason: 'quiet_hours' }, { reason: 'quiet_hours' }])
  const minutes = (Date.parse(waiting[0].next_attempt_at) - Date.now()) / 60_000
  t.ok(minutes > 55 && minutes < 61, `${minutes} minutes`)

  await wakeUp(app, id)
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 3, sent: 3 } })
  t.equal(providers.sent.length, 2)
  const outcomes = (await stack.trace(id)).map(({ attempts }) =>
    attempts.map(({ outcome }: { outcome: string }) => outcome),
  )
  t.same(outcomes, [['sent'], ['sent'], ['sent']])
})

t.test('what quiet hours outlast is expired, and told of', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 2, providers: ['webpush', 'sse'] })
  const { id } = await post(app, { type: 'all' }, { quiet_hours: now(), ttl: 600 })
  t.match(await stack.ended(id), { status: 'expired', counts: { devices: 4, expired: 4 } })
  t.same(new Set((await stack.trace(id)).map(({ reason }) => reason)), new Set(['quiet_hours']))
  t.equal(providers.sent.length, 0)
  t.equal((await ask(`GET /push/v1/apps/${app}/insights`)).body.totals.expired, 4)
})

t.test('outside of quiet hours nothing waits, for one person as for many', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 1 })
  t.match(await stack.ended((await post(app, { type: 'user', id: 'p-1' }, { quiet_hours: later() })).id), {
    status: 'sent',
  })
})

t.test('who is removed while a message to many waits for them does not get it', async (t) => {
  const app = await stack.app()
  await crowd(stack, { appId: app, people: 3, providers: ['webpush', 'sse'] })
  const { id } = await post(app, { type: 'all' }, { quiet_hours: now() })
  const counts = async () => (await ask(`GET /push/v1/messages/${id}`)).body.counts
  await until(async () => (await counts()).queued === 6)
  await ask(`DELETE /push/v1/apps/${app}/users/p-1`)
  await until(async () => (await counts()).cancelled === 2)
  t.match(await counts(), { queued: 4, cancelled: 2 })
  for (const n of [2, 3]) await ask(`DELETE /push/v1/apps/${app}/users/p-${n}`)
  t.match(await stack.ended(id), { status: 'cancelled', counts: { devices: 6, cancelled: 6 } })
  t.equal(providers.sent.length, 0)
})
