import '../support/webhooks-environment.ts'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { testReceiver, verifies } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await hookStack(t, { areas: ['account'], scopes: ['account:webhooks'] })
const { ask, db, send } = stack
const receiver = await testReceiver(t)
await stack.startWorkers()
await stack.type('invoice.paid')
await stack.type('user.created')

const alarm = { type: 'job', url: 'https://jobs.example/', method: 'POST', header_names: [], timeout: 30 }

interface Delivery {
  status: string
  attempts: number
}

const attemptOf = (app: string, message: string, isDone = (one: Delivery) => one.status === 'delivered') =>
  until(
    async () => {
      const { body } = await ask(`GET /v1/hooks/apps/${app}/messages/${message}/attempts`)
      return body.data.length > 0 && body.data.every(isDone) && body.data
    },
    { what: 'the attempts are logged' },
  )

t.beforeEach(() => {
  receiver.answer = (_, res) => void res.writeHead(204).end()
})

t.test('a message arrives signed, with the payload as its body, and its attempt is logged', async (t) => {
  const app = await stack.app({ uid: 'customer-1' })
  const secret = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`
  const endpoint = await stack.endpoint('customer-1', `${receiver.url}/first`, {
    ...{ headers: { 'X-Team': 'billing', 'User-Agent': 'mine' }, secret },
  })
  t.equal(endpoint.secret, secret)
  const payload = { z: 1, invoice_id: 'in_1042', items: [{ b: 2, a: 'ü' }], '2': 'x' }
  const sent = await send('customer-1', { payload, event_id: 'evt-1', tags: ['vip'] })
  t.match(sent, { status: 202, body: { event_type: 'invoice.paid', status: 'pending', event_id: 'evt-1' } })
  const [delivery] = await receiver.has(1, '/first')
  if (!delivery) return
  t.equal(delivery.body, JSON.stringify(payload))
  t.equal(delivery.headers['webhook-id'], sent.body.id)
  t.match(delivery.headers, { 'x-team': 'billing', 'user-agent': 'Millrace-Webhooks/1.0' })
  t.ok(verifies(secret, delivery), 'the reference library verifies')
  t.doesNotThrow(() => new SvixWebhook(secret).verify(delivery.body, delivery.headers), 'the library of Svix verifies')
  t.throws(() => new SvixWebhook(secret).verify(`${delivery.body} `, delivery.headers))
  const attempts = await attemptOf(app, sent.body.id)
  t.match(attempts, [{ endpoint_id: endpoint.id, attempts: 1, response_status: 204, attempt_log: [{ status: 204 }] }])
  t.match((await ask(`GET /v1/hooks/apps/customer-1/messages/${sent.body.id}`)).body, { status: 'delivered', payload })
  t.match((await ask(`GET /v1/hooks/apps/customer-1/endpoints/${endpoint.id}/stats`)).body, {
    messages: { pending: 0, delivered: 1, failed: 0 },
  })
})

t.test('an endpoint receives only messages that match its types, channels and filters', async (t) => {
  const app = await stack.app()
  await stack.endpoint(app, `${receiver.url}/types`, { types: ['user.*'] })
  await stack.endpoint(app, `${receiver.url}/channels`, { channels: ['eu'] })
  await stack.endpoint(app, `${receiver.url}/filters`, {
    filters: [
      { path: 'order.items.0.price', op: 'gt', value: 10 },
      { path: 'country', op: 'in', value: ['EE', 'DE'] },
      { path: 'deleted', op: 'exists', value: false },
    ],
  })
  const order = (price: number) => ({ items: [{ price }] })
  await send(app, { payload: { n: 1, country: 'EE', order: order(11) }, channels: ['us'] })
  await send(app, { payload: { n: 2, country: 'EE', order: order(10) }, channels: ['eu', 'us'] })
  await send(app, { payload: { n: 3, country: 'FR', order: order(11) }, event_type: 'user.created' })
  await send(app, { payload: { n: 4, country: 'DE', order: order(12), deleted: null } })
  const last = await send(app, { payload: { n: 5, country: 'DE', order: order(12) }, channels: ['eu'] })
  await attemptOf(app, last.body.id)
  await stack.idle()
  const numbers = (path: string) =>
    receiver.received
      .filter((one) => one.path === path)
      .map(({ event }) => event.n)
      .sort()
  t.same([numbers('/types'), numbers('/channels'), numbers('/filters')], [[3], [2, 5], [1, 5]])
  const { body } = await ask(`GET /v1/hooks/apps/${app}/messages?status=unrouted`)
  t.same(
    body.data.map(({ payload }: { payload: { n: number } }) => payload.n),
    [4],
  )
})

t.test('a change of the headers or filters applies to pending messages', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/changed`, { headers: { 'x-team': 'a' } })
  receiver.answer = (_, res) => void res.writeHead(500).end()
  const [first, second] = [await send(app, { payload: { n: 1 } }), await send(app, { payload: { n: 2 } })]
  for (const { body } of [first, second])
    await attemptOf(app, body.id, ({ status, attempts }) => status === 'pending' && attempts > 0)
  receiver.answer = (_, res) => void res.writeHead(204).end()
  const filters = [{ path: 'n', op: 'eq', value: 1 }]
  const path = `/v1/hooks/apps/${app}/endpoints/${id}`
  t.match(await ask(`PATCH ${path}`, { body: { headers: { 'X-Team': 'b' }, filters } }), {
    status: 200,
    body: { header_names: ['x-team'], filters },
  })
  await stack.passTime(id)
  await attemptOf(app, first.body.id)
  t.equal(receiver.received.filter((one) => one.path === '/changed').at(-1)?.headers['x-team'], 'b')
  const [skipped] = await attemptOf(app, second.body.id, ({ status }) => status === 'failed')
  t.match(skipped.error, /filters/)
})

t.test('a rotated secret signs next to the previous one', async (t) => {
  const app = await stack.app()
  const { id, secret } = await stack.endpoint(app, `${receiver.url}/rotated`)
  const path = `/v1/hooks/apps/${app}/endpoints/${id}`
  const { body } = await ask(`POST ${path}/rotate-secret`, { body: {} })
  t.not(body.secret, secret)
  t.same((await ask(`GET ${path}/secret`)).body, { secret: body.secret, previous_secret: secret })
  await send(app)
  const [delivery] = await receiver.has(1, '/rotated')
  t.ok(delivery && verifies(secret, delivery) && verifies(body.secret, delivery))
})

t.test('a disabled app stops at once, and continues when it is enabled', async (t) => {
  const app = await stack.app({ disabled: true })
  await stack.endpoint(app, `${receiver.url}/held`)
  const { body } = await send(app)
  await stack.idle()
  t.equal(receiver.received.filter(({ path }) => path === '/held').length, 0)
  t.match((await ask(`PATCH /v1/hooks/apps/${app}`, { body: { disabled: false } })).body, { disabled: false })
  await attemptOf(app, body.id)
})

t.test('a deleted app receives nothing more, and its messages are deleted', async (t) => {
  const app = await stack.app({ disabled: true, uid: 'gone' })
  await stack.endpoint(app, `${receiver.url}/gone`)
  const { body } = await send(app)
  t.match(await ask(`DELETE /v1/hooks/apps/${app}`), { status: 200, body: { deleted: true } })
  t.equal((await ask(`GET /v1/hooks/apps/${app}/messages/${body.id}`)).status, 404)
  t.equal((await send(app)).status, 404)
  t.equal((await ask(`PATCH /v1/hooks/apps/${app}`, { body: { disabled: false } })).status, 404)
  t.equal((await ask(`DELETE /v1/hooks/apps/${app}`)).status, 404)
  const { data } = (await ask('GET /v1/hooks/apps')).body
  t.notOk(data.some(({ id }: { id: string }) => id === app))
  await stack.app({ uid: 'gone' })
  await stack.base.startWorkers({}, 'core')
  await until(async () => !(await db.exists(sql.unsafe`select id from webhooks.events where app_id = ${app}`)), {
    what: 'the messages are deleted',
  })
  await until(async () => !(await db.exists(sql.unsafe`select id from hooks.apps where id = ${app}`)), {
    what: 'the app is deleted',
  })
  t.equal(receiver.received.filter(({ path }) => path === '/gone').length, 0)
})

t.test('failed messages of a period are resent, and missed messages are sent', async (t) => {
  const app = await stack.app()
  const since = new Date(Date.now() - 60_000).toISOString()
  const early = await send(app, { payload: { n: 0 } })
  const { id } = await stack.endpoint(app, `${receiver.url}/again`)
  const path = `/v1/hooks/apps/${app}/endpoints/${id}`
  const { body: failed } = await send(app, { payload: { n: 1 } })
  await attemptOf(app, failed.id)
  await db.query(sql.typeAlias('void')`update webhooks.deliveries set status = 'failed' where event_id = ${failed.id}`)
  t.same((await ask(`POST ${path}/recover`, { body: { since } })).body, { replayed: 1, next_since: null })
  await receiver.has(2, '/again')
  await attemptOf(app, failed.id)
  t.same((await ask(`POST ${path}/replay-missing`, { body: { since } })).body, { replayed: 1, next_since: null })
  await attemptOf(app, early.body.id)
  const resent = await ask(`POST /v1/hooks/apps/${app}/messages/${failed.id}/endpoints/${id}/resend`)
  t.match(resent, { status: 202, body: { status: 'pending' } })
  const all = await receiver.has(4, '/again')
  t.same(
    all.map(({ event }) => event.n),
    [1, 1, 0, 1],
  )
  t.match((await ask(`POST ${path}/recover`, { body: { since, until: since } })).status, 400)
})

t.test('a rate limit paces the attempts without a loss', async (t) => {
  const app = await stack.app()
  await stack.endpoint(app, `${receiver.url}/paced`, { rate: { limit: 5, per: 'second' } })
  await Promise.all(Array.from({ length: 14 }, (_, n) => send(app, { payload: { n } })))
  const all = await receiver.has(14, '/paced')
  t.equal(new Set(all.map(({ event }) => event.n)).size, 14)
  const times = all.map(({ at }) => at).sort()
  t.ok((times[13] as number) - (times[0] as number) >= 1_800, 'three seconds are needed')
  const slow = await stack.app({ rate: { limit: 2, per: 'minute' } })
  await stack.endpoint(slow, `${receiver.url}/slow-1`)
  await stack.endpoint(slow, `${receiver.url}/slow-2`)
  await send(slow, { payload: { n: 1 } })
  await send(slow, { payload: { n: 2 } })
  await until(() => receiver.received.filter((one) => one.path.startsWith('/slow')).length === 2, {
    what: 'two arrive',
  })
  await stack.idle()
  t.equal(receiver.received.filter((one) => one.path.startsWith('/slow')).length, 2)
})

t.test('a delayed message waits; a deleted payload is not sent', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/later`)
  const deliver_at = new Date(Date.now() + 3_600_000).toISOString()
  const [first, second] = [await send(app, { deliver_at }), await send(app, { deliver_at, payload_retention_days: 1 })]
  t.equal(first.body.deliver_at, deliver_at)
  t.ok(second.body.payload_deletes_at)
  await stack.idle()
  t.equal(receiver.received.filter(({ path }) => path === '/later').length, 0)
  const message = `/v1/hooks/apps/${app}/messages/${second.body.id}`
  t.match(await ask(`DELETE ${message}/payload`), { status: 200, body: { payload: null } })
  await stack.passTime(id)
  await attemptOf(app, first.body.id)
  await attemptOf(app, second.body.id, ({ status }) => status === 'failed')
  t.equal(receiver.received.filter(({ path }) => path === '/later').length, 1)
  t.match(await ask(`POST ${message}/endpoints/${id}/resend`), {
    status: 409,
    body: { error: { code: 'payload_deleted' } },
  })
})

t.test('the organisation learns of failed messages and disabled endpoints by its own webhook', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into automation.rules (id, org_id, name, event, action, max_per_minute)
    values (${newId()}, ${stack.orgId}, 'Alarm', 'hooks.*', ${sql.jsonb(alarm)}, 600)`)
  const own = await ask('POST /v1/account/webhooks', { body: { url: `${receiver.url}/own`, types: ['hooks.*'] } })
  t.equal(own.status, 201)
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/dead`)
  receiver.answer = (_, res, { path }) => void res.writeHead(path === '/dead' ? 500 : 204).end()
  const { body } = await send(app)
  await attemptOf(app, body.id, ({ status, attempts }) => status === 'pending' && attempts > 0)
  await db.query(sql.typeAlias('void')`update webhooks.deliveries set attempts = 9 where event_id = ${body.id}`)
  await stack.passTime(id)
  const [told] = await receiver.has(1, '/own')
  t.match(told?.event, { type: 'hooks.message.failed', data: { app_id: app, message_id: body.id, attempts: 10 } })
  const filtered = await stack.app()
  const other = await stack.endpoint(filtered, `${receiver.url}/filtered`)
  const { body: held } = await send(filtered, { deliver_at: new Date(Date.now() + 3_600_000).toISOString() })
  const filters = [{ path: 'n', op: 'exists' }]
  t.equal((await ask(`PATCH /v1/hooks/apps/${filtered}/endpoints/${other.id}`, { body: { filters } })).status, 200)
  await stack.passTime(other.id)
  const [, excluded] = await receiver.has(2, '/own')
  t.match(excluded?.event, {
    type: 'hooks.message.failed',
    data: { message_id: held.id, endpoint_id: other.id, attempts: 0, response_status: null, error: /filters/ },
  })
  receiver.answer = (_, res, { path }) => void res.writeHead(path === '/dead' ? 410 : 204).end()
  await send(app)
  await stack.passTime(id)
  const all = await receiver.has(4, '/own')
  t.same(all.map(({ event }) => event.type).sort(), [
    ...['hooks.endpoint.disabled', 'hooks.message.failed', 'hooks.message.failed', 'hooks.message.failed'],
  ])
  const started = await db.anyFirst(sql.type(z.object({ event_type: z.string() }))`
    select event_type from automation.runs where org_id = ${stack.orgId} order by 1`)
  t.same(started, ['hooks.endpoint.disabled', ...Array(3).fill('hooks.message.failed')])
  t.equal((await ask(`GET /v1/hooks/apps/${app}/endpoints/${id}`)).body.status, 'disabled')
  t.same(
    (await ask('GET /v1/account/webhooks')).body.data.map((one: { id: string }) => one.id),
    [own.body.id],
  )
  const { body: events } = await ask('GET /v1/account/events')
  t.ok(events.data.every(({ type }: { type: string }) => type.startsWith('hooks.')))
})

t.test('a test message shows the response of the endpoint', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/tested`, { disabled: true })
  await stack.type('order.sent', { example: { order: 1 } })
  const path = `POST /v1/hooks/apps/${app}/endpoints/${id}/test`
  t.match(await ask(path), { status: 200, body: { delivered: true, response_status: 204 } })
  t.match(await ask(path, { body: { event_type: 'order.sent' } }), { status: 200, body: { delivered: true } })
  const [, second] = await receiver.has(2, '/tested')
  t.same(second?.event, { order: 1 })
  t.same((await ask(`GET /v1/hooks/apps/${app}/messages`)).body.data, [])
})
