import '../support/webhooks-environment.ts'
import t from 'tap'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { hookStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await hookStack(t)
const { ask, db } = stack
const app = await stack.app({ uid: 'acme' })
const { id } = await stack.endpoint(app, 'https://customer.example.com/hooks')
await stack.type('invoice.paid', {
  schema: {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 0 }, items: { type: 'array', items: { required: ['sku'] } } },
    required: ['amount'],
    additionalProperties: false,
  },
})
await stack.type('old.type')
await ask('PATCH /v1/hooks/event-types/old.type', { body: { archived: true } })

const url = 'https://customer.example.com/hooks'
const endpoints = `POST /v1/hooks/apps/${app}/endpoints`
const messages = `POST /v1/hooks/apps/${app}/messages`
const types = 'POST /v1/hooks/event-types'
const apps = 'POST /v1/hooks/apps'
const message = { event_type: 'invoice.paid', payload: { amount: 1 } }
const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)
const explosion = {
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, i) => [`d${i}`, { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${i + 1}` })) }]),
    ['d40', {}],
  ]),
  $ref: '#/$defs/d0',
}

const cases: readonly [request: string, body: unknown, fields: readonly string[]][] = [
  [apps, {}, ['body.name']],
  [apps, [], ['body']],
  [apps, { name: ' ' }, ['body.name']],
  [apps, { name: 'a\u0000' }, ['body.name']],
  [apps, { name: '\ud800' }, ['body.name']],
  [apps, { name: 'A', uid: 'a b' }, ['body.uid']],
  [apps, { name: 'A', uid: '..' }, ['body.uid']],
  [apps, { name: 'A', uid: '01a2243e-ddf4-7141-8842-4cd31e5e75d4' }, ['body.uid']],
  [apps, { name: 'A', rate: { limit: 0, per: 'second' } }, ['body.rate.limit']],
  [apps, { name: 'A', rate: { limit: 1, per: 'day' } }, ['body.rate.per']],
  [apps, { name: 'A', metadata: { a: 1 } }, ['body.metadata.a']],
  [apps, { name: 'A', extra: 1 }, ['body.extra']],
  [types, {}, ['body.name']],
  [types, { name: 'a..b' }, ['body.name']],
  [types, { name: '.' }, ['body.name']],
  [types, { name: 'a'.repeat(101) }, ['body.name']],
  [types, { name: 'a.b', schema: { type: 'banana' } }, ['body.schema']],
  [types, { name: 'a.b', schema: { $ref: 'https://example.com/x.json' } }, ['body.schema']],
  [types, { name: 'a.b', schema: { $ref: 'file:///etc/passwd' } }, ['body.schema']],
  [types, { name: 'a.b', schema: { pattern: '(?=a)b' } }, ['body.schema']],
  [types, { name: 'a.b', schema: { pattern: '(' } }, ['body.schema']],
  [types, { name: 'a.b', schema: explosion, example: { a: 1 } }, ['body.example']],
  [types, { name: 'a.b', schema: { required: ['x'] }, example: {} }, ['body.example.x']],
  [types, { name: 'a.b', schema: [] }, ['body.schema']],
  [types, { name: 'a.b', feature_group: 'a b' }, ['body.feature_group']],
  [endpoints, {}, ['body.url']],
  [endpoints, { url: 'https://10.0.0.1/' }, ['body.url']],
  [endpoints, { url: 'https://169.254.169.254/latest' }, ['body.url']],
  [endpoints, { url: 'ftp://example.com/' }, ['body.url']],
  [endpoints, { url, types: [] }, ['body.types']],
  [endpoints, { url, types: ['a b'] }, ['body.types.0']],
  [endpoints, { url, types: ['*.paid'] }, ['body.types.0']],
  [endpoints, { url, headers: { 'webhook-signature': 'x' } }, ['body.headers.webhook-signature']],
  [endpoints, { url, headers: { Host: 'x' } }, ['body.headers.Host']],
  [endpoints, { url, headers: { a: 'x\r\ny' } }, ['body.headers.a']],
  [endpoints, { url, headers: { a: '1', A: '2' } }, ['body.headers']],
  [endpoints, { url, headers: { 'a b': '1' } }, ['body.headers.a b']],
  [endpoints, { url, rate: 5 }, ['body.rate']],
  [endpoints, { url, channels: [] }, ['body.channels']],
  [endpoints, { url, secret: 'whsec_short' }, ['body.secret']],
  [endpoints, { url, filters: [{ path: 'a', op: 'like', value: 'x' }] }, ['body.filters.0.op']],
  [endpoints, { url, filters: [{ path: 'a..b', op: 'eq', value: 'x' }] }, ['body.filters.0.path']],
  [endpoints, { url, filters: [{ path: 'a', op: 'in', value: 'x' }] }, ['body.filters.0.value']],
  [endpoints, { url, filters: [{ path: 'a', op: 'eq', value: { b: 1 } }] }, ['body.filters.0.value']],
  [endpoints, { url, filters: Array(11).fill({ path: 'a', op: 'exists' }) }, ['body.filters']],
  [messages, {}, ['body.event_type', 'body.payload']],
  [messages, { ...message, event_type: 'unknown' }, ['body.event_type']],
  [messages, { ...message, event_type: 'old.type' }, ['body.event_type']],
  [messages, { ...message, payload: {} }, ['body.payload.amount']],
  [messages, { ...message, payload: { amount: -1, x: 1 } }, ['body.payload.amount', 'body.payload.x']],
  [messages, { ...message, payload: { amount: 1, items: [{ sku: 1 }, {}] } }, ['body.payload.items.1.sku']],
  [messages, { ...message, payload: [] }, ['body.payload']],
  [messages, { ...message, payload: { text: 'ü'.repeat(140_000) } }, ['body.payload']],
  [messages, { ...message, payload: { n: 2 ** 60 } }, ['body.payload']],
  [messages, { ...message, event_id: 'a b' }, ['body.event_id']],
  [messages, { ...message, tags: ['a b'] }, ['body.tags.0']],
  [messages, { ...message, channels: Array.from({ length: 11 }, (_, i) => `c${i}`) }, ['body.channels']],
  [messages, { ...message, deliver_at: '9999-12-31T00:00:00Z' }, ['body.deliver_at']],
  [messages, { ...message, deliver_at: 'tomorrow' }, ['body.deliver_at']],
  [messages, { ...message, payload_retention_days: 0 }, ['body.payload_retention_days']],
  [messages, { ...message, payload: deep }, ['body.payload.amount', 'body.payload.a']],
  [`POST /v1/hooks/apps/${app}/endpoints/${id}/recover`, {}, ['body.since']],
  [`POST /v1/hooks/apps/${app}/endpoints/${id}/recover`, { since: '0000-01-01T00:00:00Z' }, ['body.since']],
  [`POST /v1/hooks/apps/${app}/endpoints/${id}/replay-missing`, { since: 'x' }, ['body.since']],
  [`POST /v1/hooks/apps/${app}/endpoints/${id}/test`, { event_type: 'unknown' }, ['body.event_type']],
  [`POST /v1/hooks/apps/${app}/endpoints/${id}/rotate-secret`, { keep_hours: 169 }, ['body.keep_hours']],
  [`PATCH /v1/hooks/apps/${app}/endpoints/${id}`, { url: 'x' }, ['body.url']],
  ['PATCH /v1/hooks/event-types/invoice.paid', { schema: { type: 1 } }, ['body.schema']],
]

t.test('every invalid field is named', async (t) => {
  for (const [request, body, fields] of cases) {
    const reply = await ask(request, { body })
    t.same(
      [reply.status, fieldsOf(reply).sort()],
      [400, [...fields].sort()],
      `${request} ${JSON.stringify(body).slice(0, 100)}`,
    )
  }
})

t.test('a payload with a number that JSON cannot repeat is refused', async (t) => {
  const raw = '{"event_type":"invoice.paid","payload":{"amount":1e400}}'
  const reply = await ask(messages, { raw, headers: { 'content-type': 'application/json' } })
  t.same([reply.status, fieldsOf(reply)], [400, ['body.payload']])
})

t.test('strange names in a path and query are refused, never an error of the server', async (t) => {
  const long = 'a'.repeat(300)
  for (const path of [
    ...[`/v1/hooks/apps/${long}`, '/v1/hooks/apps/%00', '/v1/hooks/apps/%ED%A0%80', '/v1/hooks/apps/a%20b'],
    ...['/v1/hooks/event-types/%00', `/v1/hooks/apps/${app}/messages/x`, `/v1/hooks/apps/${app}/endpoints/x`],
    ...[
      `/v1/hooks/apps/${app}/messages?status=x`,
      `/v1/hooks/apps/${app}/messages?since=x`,
      '/v1/hooks/apps?metadata=x',
    ],
    ...['/v1/hooks/apps/none/messages', '/v1/hooks/apps/none/endpoints', '/v1/hooks/apps?cursor=x'],
  ]) {
    const { status } = await ask(`GET ${path}`)
    t.ok(status === 400 || status === 404, `${path} returns ${status}`)
  }
})

t.test('a name or ID that is in use is a conflict', async (t) => {
  t.equal((await ask(apps, { body: { name: 'B', uid: 'acme' } })).status, 409)
  t.equal((await ask(types, { body: { name: 'invoice.paid' } })).status, 409)
  const other = await stack.app({ uid: 'other' })
  t.equal((await ask(`PATCH /v1/hooks/apps/${other}`, { body: { uid: 'acme' } })).status, 409)
  const first = await ask(messages, { body: { ...message, event_id: 'evt' } })
  t.equal(first.status, 202)
  const sent = await Promise.all([0, 1].map(() => ask(messages, { body: { ...message, event_id: 'evt' } })))
  t.match(sent, [{ status: 409 }, { status: 409 }])
  t.equal(sent[0]?.body.error.code, 'event_id_used')
  const both = await Promise.all([0, 1, 2].map(() => ask(messages, { body: { ...message, event_id: 'evt-2' } })))
  t.same(both.map(({ status }) => status).sort(), [202, 409, 409])
  t.equal((await ask(`POST /v1/hooks/apps/${other}/messages`, { body: { ...message, event_id: 'evt' } })).status, 202)
  const headers = { 'idempotency-key': 'k-1' }
  const [one, again] = [
    await ask(messages, { body: message, headers }),
    await ask(messages, { body: message, headers }),
  ]
  t.equal(one.body.id, again.body.id)
})

t.test('a regular expression that is slow elsewhere does not delay others', async (t) => {
  await stack.type('slow.type', { schema: { properties: { a: { pattern: '^(a+)+$' } } } })
  const body = { event_type: 'slow.type', payload: { a: `${'a'.repeat(100_000)}!` } }
  t.same(fieldsOf(await ask(messages, { body })), ['body.payload.a'])
})

t.test('another organisation sees none of it', async (t) => {
  const { keys } = await testOrg(db, ['hooks:write'])
  const { body } = await ask(messages, { body: message })
  for (const request of [
    ...[`GET /v1/hooks/apps/${app}`, 'GET /v1/hooks/apps/acme', `DELETE /v1/hooks/apps/${app}`],
    ...[`GET /v1/hooks/apps/${app}/endpoints`, `GET /v1/hooks/apps/acme/endpoints/${id}/secret`],
    ...[`GET /v1/hooks/apps/${app}/messages/${body.id}`, `GET /v1/hooks/apps/acme/messages/${body.id}/attempts`],
    ...[
      `POST /v1/hooks/apps/${app}/messages/${body.id}/endpoints/${id}/resend`,
      'GET /v1/hooks/event-types/invoice.paid',
    ],
    `POST /v1/hooks/apps/${app}/endpoints/${id}/test`,
  ])
    t.equal((await ask(request, { key: keys.main })).status, 404, request)
  const theirs = await ask('POST /v1/hooks/apps', { key: keys.main, body: { name: 'A', uid: 'acme' } })
  t.equal(theirs.status, 201)
  for (const path of [`endpoints/${id}`, `messages/${body.id}`, `endpoints/${id}/stats`])
    t.equal((await ask(`GET /v1/hooks/apps/acme/${path}`, { key: keys.main })).status, 404, path)
  const sent = await ask('POST /v1/hooks/apps/acme/messages', { key: keys.main, body: message })
  t.same(fieldsOf(sent), ['body.event_type'])
  const { keys: readers } = await testOrg(db, ['hooks:read'])
  t.equal((await ask(apps, { key: readers.main, body: { name: 'A' } })).status, 403)
})
