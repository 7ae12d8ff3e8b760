import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { signPortal } from '#tasks/hooks/rules/portal-token.ts'
import { ask as askIngress, type Reply } from '../support/ingress.ts'
import { signingSecret as secret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { testReceiver, verifies } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await hookStack(t)
const { ask } = stack
const url = stack.base.ingress.url
const receiver = await testReceiver(t)
await stack.startWorkers()
await stack.type('invoice.paid', { description: 'An invoice was paid.', feature_group: 'billing' })
await stack.type('user.created')

const since = { since: '2026-01-01T00:00:00Z' }

interface Portal {
  token: string
  url: string
  call(request: string, body?: unknown): Promise<Reply>
}

async function portal(app: string, body?: object): Promise<Portal> {
  const { status, body: made, text } = await ask(`POST /v1/hooks/apps/${app}/portal-tokens`, { body })
  if (status !== 200) throw new Error(text)
  return { ...made, call: calling(made.token) }
}

const calling = (token: string) => (request: string, body?: unknown) => {
  const [method, path] = request.split(' ')
  const to = `${method} /v1/hooks/portal${path === '/' ? '' : path}`
  return askIngress(url, to, { headers: { authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body }) })
}

t.test('a portal adds an endpoint, and shows a delivered message with its response', async (t) => {
  const app = await stack.app({ name: 'Acme', uid: 'acme' })
  const { call, url: link } = await portal('acme')
  t.match(link, /\/hooks\/portal\/eyJ/)
  t.match(await call('GET /'), { status: 200, body: { app: { id: app, uid: 'acme' }, capability: 'manage' } })
  t.match((await call('GET /event-types')).body.data.map(({ name }: { name: string }) => name).sort(), [
    'invoice.paid',
    'user.created',
  ])
  const made = await call('POST /endpoints', {
    url: `${receiver.url}/portal`,
    types: ['invoice.paid'],
    filters: [{ path: 'amount', op: 'gt', value: 5 }],
    rate: { limit: 100, per: 'second' },
    headers: { 'X-Tenant': 'secret-tenant' },
  })
  t.match(made, { status: 201, body: { header_names: ['x-tenant'], secret: /^whsec_/ } })
  t.notMatch(made.text, 'secret-tenant')
  const { id } = made.body
  t.equal((await call(`GET /endpoints/${id}/secret`)).body.secret, made.body.secret)
  await stack.send('acme', { payload: { amount: 1 } })
  const sent = await stack.send('acme', { payload: { amount: 10 } })
  const [delivery] = await receiver.has(1, '/portal')
  t.ok(delivery && verifies(made.body.secret, delivery))
  t.equal(delivery?.headers['x-tenant'], 'secret-tenant')
  await until(async () => (await call(`GET /endpoints/${id}/stats`)).body.messages.delivered === 1)
  t.match((await call(`GET /endpoints/${id}/attempts?limit=1&status=delivered`)).body.data, [
    { message_id: sent.body.id, response_status: 204 },
  ])
  t.match((await call(`GET /messages/${sent.body.id}`)).body, { status: 'delivered', payload: { amount: 10 } })
  t.match((await call(`GET /messages/${sent.body.id}/attempts`)).body.data, [{ endpoint_id: id, attempts: 1 }])
  const first = await call('GET /messages?limit=1')
  const second = await call(`GET /messages?limit=1&cursor=${encodeURIComponent(first.body.next_cursor)}`)
  t.not(second.body.data[0].id, first.body.data[0].id)
  const rotated = await call(`POST /endpoints/${id}/rotate-secret`, {})
  t.match(rotated, { status: 200, body: { secret: /^whsec_/ } })
  t.not(rotated.body.secret, made.body.secret)
  t.match(await call(`PATCH /endpoints/${id}`, { disabled: true }), { status: 200, body: { status: 'disabled' } })
  t.match(await call(`DELETE /endpoints/${id}`), { status: 200, body: { id, deleted: true } })
  t.match((await call('GET /endpoints')).body.data, [])
})

t.test('a token of one app cannot access another app', async (t) => {
  const [one, other] = [await stack.app(), await stack.app()]
  const foreign = await stack.endpoint(other, `${receiver.url}/foreign`)
  const { body: message } = await stack.send(other)
  const { call } = await portal(one)
  for (const [request, body] of [
    [`GET /endpoints/${foreign.id}`],
    [`PATCH /endpoints/${foreign.id}`, { description: 'x' }],
    [`DELETE /endpoints/${foreign.id}`],
    [`GET /endpoints/${foreign.id}/secret`],
    [`POST /endpoints/${foreign.id}/rotate-secret`, {}],
    [`POST /endpoints/${foreign.id}/test`, {}],
    [`POST /endpoints/${foreign.id}/recover`, since],
    [`POST /endpoints/${foreign.id}/replay-missing`, since],
    [`POST /messages/${message.id}/endpoints/${foreign.id}/resend`],
    [`GET /endpoints/${foreign.id}/stats`],
    [`GET /endpoints/${foreign.id}/attempts`],
    [`GET /messages/${message.id}`],
    [`GET /messages/${message.id}/attempts`],
  ] as const)
    t.equal((await call(request, body)).status, 404, request)
  t.same((await call('GET /endpoints')).body.data, [])
  t.same((await call('GET /messages')).body.data, [])
  t.equal((await ask(`GET /v1/hooks/apps/${other}/endpoints/${foreign.id}`)).body.description, null)
})

t.test('the portal of one app does not use the limits of the organisation or of another app', async (t) => {
  const [busy, other] = [await stack.app(), await stack.app()]
  const { id } = await stack.endpoint(busy, `${receiver.url}/busy`)
  const theirs = await stack.endpoint(other, `${receiver.url}/theirs`)
  const { call } = await portal(busy)
  const request = `POST /endpoints/${id}/recover`
  for (let i = 0; i < 31; i++) if ((await call(request, since)).status !== 200) break
  t.equal((await call(request, since)).status, 429)
  t.equal((await ask(`POST /v1/hooks/apps/${other}/endpoints/${theirs.id}/recover`, { body: since })).status, 200)
  t.equal((await (await portal(other)).call(`POST /endpoints/${theirs.id}/recover`, since)).status, 200)
})

t.test('a token that can only read changes nothing and sees no secret', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/read`)
  const { call } = await portal(app, { capability: 'read' })
  t.equal((await call(`GET /endpoints/${id}`)).status, 200)
  for (const [request, body] of [
    ['POST /endpoints', { url: `${receiver.url}/x` }],
    [`PATCH /endpoints/${id}`, { description: 'x' }],
    [`DELETE /endpoints/${id}`],
    [`GET /endpoints/${id}/secret`],
    [`POST /endpoints/${id}/rotate-secret`, {}],
    [`POST /endpoints/${id}/test`, {}],
    [`POST /endpoints/${id}/recover`, since],
    [`POST /endpoints/${id}/replay-missing`, since],
    [`POST /messages/${newId()}/endpoints/${id}/resend`],
  ] as const)
    t.match(await call(request, body), { status: 403, body: { error: { message: /only read/ } } }, request)
})

t.test('a token shows only the event types of its feature groups', async (t) => {
  const app = await stack.app()
  const names = async (groups: string[]) =>
    (await (await portal(app, { feature_groups: groups })).call('GET /event-types')).body.data.map(
      ({ name }: { name: string }) => name,
    )
  t.same(await names([]), ['user.created'])
  t.same((await names(['billing'])).sort(), ['invoice.paid', 'user.created'])
})

t.test('tokens end with their time, their app and a revocation; forged tokens do not work', async (t) => {
  const app = await stack.app()
  const valid = await portal(app)
  const page = () => fetch(new URL(new URL(valid.url).pathname, url))
  t.equal((await page()).status, 200)
  const subject = {
    org: stack.orgId,
    key: newId(),
    app,
    version: 0,
    capability: 'manage' as const,
    groups: null,
    exp: 1,
  }
  const expired = signPortal(subject, secret)
  const foreign = signToken('email preferences', { ...subject, exp: Date.now() }, secret)
  const unknownKey = signPortal({ ...subject, exp: Date.now() }, secret)
  for (const token of ['x', `${valid.token}x`, expired, foreign, unknownKey, valid.token.split('.')[0] as string]) {
    t.match(await calling(token)('GET /endpoints'), { status: 401 })
    t.equal((await fetch(`${url}/hooks/portal/${token}`)).status, 404)
  }
  t.equal((await askIngress(url, 'GET /v1/hooks/portal/endpoints')).status, 401)
  t.equal((await ask('GET /v1/hooks/portal')).status, 401, 'an API key is not a portal token')
  t.match(await ask(`DELETE /v1/hooks/apps/${app}/portal-tokens`), { status: 200, body: { id: app, revoked: true } })
  t.equal((await valid.call('GET /endpoints')).status, 401)
  t.equal((await page()).status, 404)
  const later = await portal(app)
  t.equal((await later.call('GET /endpoints')).status, 200)
  const key = await keys.create(stack.db, {
    orgId: stack.orgId,
    prefix: 'bt_live_',
    name: 'x',
    scopes: ['hooks:write'],
  })
  const made = await ask(`POST /v1/hooks/apps/${app}/portal-tokens`, { key: key.secret })
  t.equal((await calling(made.body.token)('GET /endpoints')).status, 200)
  await keys.revoke(stack.db, stack.orgId, key.id)
  t.equal((await calling(made.body.token)('GET /endpoints')).status, 401, 'a token ends with its API key')
  await ask(`DELETE /v1/hooks/apps/${app}`)
  t.equal((await later.call('GET /endpoints')).status, 401)
})

t.test('the page has the name of the organisation, cannot be framed, and sends no referrer', async (t) => {
  const app = await stack.app({ name: 'A <b>' })
  const { url: link, token } = await portal(app)
  const reply = await fetch(new URL(new URL(link).pathname, url), { headers: { 'accept-language': 'de-AT' } })
  const text = await reply.text()
  t.match(text, /<html lang="de">/)
  t.match(text, 'A &lt;b&gt;')
  t.match(text, token)
  t.match(reply.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  t.equal(reply.headers.get('referrer-policy'), 'no-referrer')
  t.equal(reply.headers.get('cache-control'), 'no-store')
})

t.test('bad input is rejected with the name of each field, and never with 500', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/bad`)
  const { call } = await portal(app)
  const to = { url: `${receiver.url}/x` }
  const cases: [string, unknown?][] = [
    ...[
      {},
      [],
      'x',
      null,
      5,
      { url: 5 },
      { url: '' },
      { url: 'ftp://example.com' },
      { url: 'https://10.0.0.1/' },
      { url: `https://example.com/${'x'.repeat(3_000)}` },
      { ...to, other: 1 },
      { ...to, types: [] },
      { ...to, types: ['a b'] },
      { ...to, types: 'invoice.paid' },
      { ...to, types: Array.from({ length: 300 }, (_, i) => `a.b${i}`) },
      { ...to, filters: {} },
      { ...to, filters: [{ path: 'a', op: 'like', value: 1 }] },
      { ...to, filters: [{ path: 'a..b', op: 'eq', value: 1 }] },
      { ...to, filters: [{ path: 'a', op: 'in', value: 1 }] },
      { ...to, filters: Array.from({ length: 20 }, () => ({ path: 'a', op: 'eq', value: 1 })) },
      { ...to, headers: { host: 'x' } },
      { ...to, headers: { 'webhook-id': 'x' } },
      { ...to, headers: { a: 'x\ny' } },
      { ...to, headers: { 'a b': 'x' } },
      { ...to, headers: [] },
      { ...to, rate: 5 },
      { ...to, rate: { limit: 0, per: 'minute' } },
      { ...to, rate: { limit: 1, per: 'day' } },
      { ...to, rate: { limit: 1e12, per: 'minute' } },
      { ...to, secret: 'x' },
      { ...to, channels: [] },
      { ...to, description: 'x'.repeat(1_000) },
      { ...to, description: '\u0000' },
      { ...to, description: '\ud800' },
      { ...to, disabled: 'yes' },
    ].map((body): [string, unknown] => ['POST /endpoints', body]),
    [`PATCH /endpoints/${id}`, { url: null }],
    [`PATCH /endpoints/${id}`, { app: newId() }],
    [`POST /endpoints/${id}/rotate-secret`, { keep_hours: 1_000 }],
    [`POST /endpoints/${id}/rotate-secret`, { secret: 'whsec_x' }],
    [`POST /endpoints/${id}/test`, { event_type: 'not.known' }],
    [`POST /endpoints/${id}/recover`, {}],
    [`POST /endpoints/${id}/recover`, { since: '9999-12-31T23:59:59+99:00' }],
    [`POST /endpoints/${id}/replay-missing`, { since: '0000-01-01T00:00:00Z' }],
    [`POST /endpoints/${id}/replay-missing`, { ...since, until: since.since }],
    ['GET /endpoints?limit=0'],
    ['GET /endpoints?limit=x'],
    ['GET /endpoints?cursor=x'],
    ['GET /endpoints?app=x'],
    ['GET /messages?status=x'],
    ['GET /messages?since=yesterday'],
    ['GET /messages?tag=%00'],
    ['GET /event-types?archived=true'],
  ]
  for (const [request, body] of cases) {
    const reply = await call(request, body)
    const said = `${request} ${JSON.stringify(body)?.slice(0, 80)}: ${reply.text.slice(0, 200)}`
    t.ok(reply.status >= 400 && reply.status < 500, said)
    t.ok(reply.body.error.message, said)
  }
  for (const path of [
    '/endpoints/x',
    '/endpoints/%00',
    `/endpoints/${newId()}`,
    '/messages/x',
    `/messages/${newId()}/attempts`,
  ])
    t.equal((await call(`GET ${path}`)).status, 404, path)
  for (const body of [
    { ttl_seconds: 59 },
    { ttl_seconds: 604_801 },
    { capability: 'all' },
    { feature_groups: 'x' },
    { x: 1 },
    [],
  ])
    t.equal((await ask(`POST /v1/hooks/apps/${app}/portal-tokens`, { body })).status, 400, JSON.stringify(body))
  for (const name of [newId(), 'unknown', '%00'])
    t.ok((await ask(`POST /v1/hooks/apps/${name}/portal-tokens`)).status < 500)
})
