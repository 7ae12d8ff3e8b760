import t from 'tap'
import { newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import { signPreferences } from '#tasks/email/rules/consent/preferences-link.ts'
import { unsubscribeUrl } from '#tasks/email/rules/consent/unsubscribe-link.ts'
import { type Reply, testOrg } from '../support/ingress.ts'
import { signingSecret as secret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { sending, verified } from './sending.ts'

const { db, ingress, sender } = await sending(t, ['notify'])
const one = await sender()
for (const body of [
  { key: 'news', name: 'Product news' },
  { key: 'offers', name: 'Offers & more', default_state: 'unsubscribed' },
  { key: 'beta', name: 'Beta', default_state: 'unsubscribed', visibility: 'private' },
])
  await one.ask('POST /send/v1/topics', { body })

let people = 0
/** A confirmed contact, and a function that reads it. */
async function person() {
  const email = `p${++people}@people.example`
  await one.ask('POST /send/v1/contacts', { body: { email, consent_source: 'x' } })
  return { email, read: async () => (await one.ask(`GET /send/v1/contacts/${email}`)).body }
}

async function mailTo(email: string, more = {}) {
  const { body } = await one.send({ stream: 'subscribed', to: email, topic: 'news', ...more })
  return unsubscribeUrl(ingress.url, body.id, secret)
}

const oneClick = (url: string, init: RequestInit = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), ...init })

t.test('one click without cookies leaves the topic of the message, and nothing else (RFC 8058)', async (t) => {
  const { email, read } = await person()
  const url = await mailTo(email)
  for (const method of ['GET', 'HEAD']) t.equal((await fetch(url, { method })).status, 200)
  t.same((await read()).topics, {}, 'a scanner that follows links changes nothing')
  const reply = await oneClick(url, { redirect: 'error' })
  t.equal(reply.status, 200)
  t.equal(reply.headers.get('set-cookie'), null)
  t.match(await read(), { status: 'confirmed', topics: { news: 'unsubscribed' } })
  t.match((await read()).history.at(-1), { kind: 'topics_changed', source: 'one_click', detail: 'news: unsubscribed' })
  await oneClick(url)
  t.equal((await read()).history.length, 2, 'a repeated click changes nothing')
  t.equal((await one.send({ stream: 'subscribed', to: email, topic: 'news' })).status, 403)
  t.equal((await one.send({ stream: 'subscribed', to: email })).status, 202)
  t.match(await (await fetch(url)).text(), /no longer sends <strong>Product news<\/strong>/)
  await fetch(`${url}?by=page&all`, { method: 'POST' })
  t.match(await read(), { status: 'unsubscribed' })
})

t.test('without a topic, one click leaves all marketing', async (t) => {
  const { email, read } = await person()
  await oneClick(await mailTo(email, { topic: undefined }))
  t.match(await read(), { status: 'unsubscribed', topics: {} })
})

t.test('a transactional message with a topic can be left, also by somebody who is no contact', async (t) => {
  const email = 'nobody@people.example'
  const { body } = await one.send({ to: email, topic: 'news' })
  await oneClick(unsubscribeUrl(ingress.url, body.id, secret))
  t.match((await one.ask(`GET /send/v1/contacts/${email}`)).body, {
    status: 'unconfirmed',
    topics: { news: 'unsubscribed' },
  })
  t.equal((await one.send({ to: email, topic: 'news' })).status, 403)
  t.equal((await one.send({ to: email })).status, 202)
})

t.test('tampered and strange links are not found', async (t) => {
  const { email } = await person()
  const url = await mailTo(email)
  const page = `${ingress.url}/send/v1/preferences/`
  const other = signToken('email unsubscribe', { m: newId() }, secret)
  const id = newId()
  const expired = signPreferences(
    { org: one.orgId, key: id, contact: id, sandbox: false, notify: true, user: null, exp: 1 },
    secret,
  )
  const wrong = [
    `${url}x`,
    url.replace(/\w(?=\.[^.]*$)/, '_'),
    `${ingress.url}/send/v1/unsubscribe/${signToken('email unsubscribe', { m: newId() }, 'another')}`,
    page + other,
    `${page}test`,
    `${page}a.b`,
    page + expired,
    page + signPreferences({ m: newId() }, secret),
    page + signPreferences({ m: newId() }, 'another secret'),
  ]
  for (const link of wrong) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: new URLSearchParams({ what: 'all' }) } : {}
      t.equal((await fetch(link, { method, ...body })).status, 404, `${method} ${link}`)
    }
  }
})

const tokenOf = async (email: string, body = {}, key = one.key) =>
  (await one.ask(`POST /send/v1/contacts/${email}/preferences-tokens`, { body, key })).body

const post = (url: string, fields: [string, string][]) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

t.test('the preference page shows and saves choices', async (t) => {
  const { email, read } = await person()
  const { url: made } = await tokenOf(email)
  const url = new URL(new URL(made).pathname, ingress.url).href
  const text = await (await fetch(url)).text()
  t.match(text, /value="news" checked/)
  t.match(text, /Offers &amp; more/)
  t.notMatch(text, /Beta/, 'a private topic is hidden')
  t.match(text, `${email.slice(0, 1)}…@people.example`)
  t.notMatch(text, email)
  t.same((await read()).topics, {})
  const saved = await post(url, [
    ['what', 'save'],
    ['offered', 'news'],
    ['offered', 'offers'],
    ['offered', 'beta'],
    ['topic', 'offers'],
    ['topic', 'beta'],
  ])
  t.equal(saved.status, 303)
  t.same((await read()).topics, { news: 'unsubscribed', offers: 'subscribed' })
  t.match((await read()).history.at(-1), { source: 'page' })
  t.match(await (await fetch(`${url}?saved`)).text(), /preferences are saved/)
  await post(url, [['what', 'all']])
  t.match(await read(), { status: 'unsubscribed' })
  t.match(await (await fetch(url)).text(), /unsubscribed from all marketing/)
  for (const fields of [
    [['what', 'x']],
    [
      ['what', 'save'],
      ['topic', '\0'],
    ],
    [['offered', 'x'.repeat(65)]],
  ] as [string, string][][])
    t.equal((await post(url, fields)).status, 400)
})

t.test('a web page reads and changes preferences with a token', async (t) => {
  const { email, read } = await person()
  const { token } = await tokenOf(email)
  const call = async (method: string, body?: unknown, authorization = `Bearer ${token}`) => {
    const reply = await fetch(`${ingress.url}/send/v1/preferences`, {
      method,
      headers: { authorization, origin: 'https://shop.example', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: reply.status,
      cors: reply.headers.get('access-control-allow-origin'),
      body: (await reply.json()) as Reply['body'],
    }
  }
  t.match(await call('GET'), {
    status: 200,
    cors: '*',
    body: { status: 'confirmed', topics: [{ key: 'news', state: 'subscribed' }, { key: 'offers' }], notifications: [] },
  })
  const after = await call('PATCH', { topics: { news: 'unsubscribed', beta: 'subscribed', nope: 'subscribed' } })
  t.match(after.body.topics, [{ key: 'news', state: 'unsubscribed' }, { key: 'offers' }])
  t.same((await read()).topics, { news: 'unsubscribed' }, 'what the page does not show cannot be set')
  const wrong = [
    {},
    { topics: [] },
    { topics: { news: 1 } },
    { topics: { 'A B': 'subscribed' } },
    { unsubscribe_all: false },
    { notifications: [{}] },
    { notifications: [{ product_key: 'p', type: 't', channels: ['fax'] }] },
    { notifications: 'x' },
    { more: 1 },
    [],
    null,
    'x',
  ]
  for (const body of wrong) t.equal((await call('PATCH', body)).status, 400, JSON.stringify(body))
  for (const authorization of [
    '',
    'Bearer',
    'Basic x',
    `Bearer ${token}x`,
    `Bearer ${one.key}`,
    `Bearer ${'x'.repeat(3000)}`,
  ])
    t.equal((await call('GET', undefined, authorization)).status, 401, authorization)
  const short = signPreferences(
    { org: one.orgId, key: newId(), contact: newId(), sandbox: false, notify: false, user: null, exp: 1 },
    secret,
  )
  t.equal((await call('GET', undefined, `Bearer ${short}`)).status, 401)
  await call('PATCH', { unsubscribe_all: true })
  t.match(await read(), { status: 'unsubscribed' })
})

t.test('a token ends with its key, and with its contact', async (t) => {
  const { org, keys } = await testOrg(db, [], {
    plan: 'unlimited',
    keys: { live: { prefix: 'snd_live_', scopes: ['email:manage'] } },
  })
  const ask = (request: string, body?: unknown) => ingress.ask(request, { key: keys.live, ...(body ? { body } : {}) })
  await ask('POST /send/v1/contacts', { email: 'a@b.example', consent_source: 'x' })
  const { body } = await ask('POST /send/v1/contacts/a@b.example/preferences-tokens', {})
  const url = new URL(new URL(body.url).pathname, ingress.url).href
  t.equal((await fetch(url)).status, 200)
  t.equal((await ask('POST /send/v1/contacts/x@b.example/preferences-tokens', {})).status, 404)
  t.equal((await ask('POST /send/v1/contacts/a@b.example/preferences-tokens', { user_id: 'u' })).status, 403)
  await ask('DELETE /send/v1/contacts/a@b.example')
  t.equal((await fetch(url)).status, 404)
  await ask('POST /send/v1/contacts', { email: 'a@b.example', consent_source: 'x' })
  const again = await ask('POST /send/v1/contacts/a@b.example/preferences-tokens', {})
  await db.query(sql.typeAlias('void')`update account.keys set revoked_at = now() where org_id = ${org.id}`)
  const ended = new URL(new URL(again.body.url).pathname, ingress.url).href
  const isGone = async () => (await fetch(ended)).status === 404
  t.ok(await until(isGone, { timeout: 5_000, what: 'the page of a revoked key was refused' }))
})

t.test('the page shows the notification preferences of the person, if the key may', async (t) => {
  const scopes = ['email:manage', 'email:send', 'notify:write', 'notify:read']
  const { org, keys } = await testOrg(db, [], {
    plan: 'unlimited',
    keys: { live: { prefix: 'bt_live_', scopes }, mail: { prefix: 'snd_live_', scopes: ['email:manage'] } },
  })
  await verified(db, org.id, 'both.example')
  const ask = (request: string, body?: unknown, key = keys.live) =>
    ingress.ask(request, { key, ...(body !== undefined && { body }) })
  await ask('POST /send/v1/contacts', { email: 'ann@both.example', consent_source: 'x' })
  await ask('PUT /v1/notify/people/ann', { email: 'ann@both.example' })
  await ask('PUT /v1/notify/preferences', {
    ...{ user_id: 'ann', product_key: 'shop', type: 'order.shipped', channels: ['in_app', 'email'] },
    digest: { window_minutes: 60 },
  })
  await ask('POST /v1/notify/events', {
    ...{ subject_user_id: 'ann', product_key: 'shop', type: 'order.paid', title: 'Paid' },
  })
  const path = 'POST /send/v1/contacts/ann@both.example/preferences-tokens'
  const { body } = await ask(path, {})
  const headers = { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' }
  const shown = (await (await fetch(`${ingress.url}/send/v1/preferences`, { headers })).json()) as Reply['body']
  t.match(shown.notifications, [
    { product_key: 'shop', type: 'order.paid', channels: ['in_app'] },
    { product_key: 'shop', type: 'order.shipped', channels: ['in_app', 'email'] },
  ])
  const page = new URL(new URL(body.url).pathname, ingress.url).href
  await ask('PUT /v1/notify/preferences', { user_id: 'ann', product_key: 'shop', type: '*', channels: ['in_app'] })
  t.match(await (await fetch(page)).text(), /shop: order\.paid.*shop: order\.shipped.*shop: all other notifications/s)
  await ask('DELETE /v1/notify/preferences?user_id=ann&product_key=shop&type=*')
  const types = ['["shop","order.paid"]', '["shop","order.shipped"]']
  await post(page, [
    ['what', 'save'],
    ['types', types[0] ?? ''],
    ['types', types[1] ?? ''],
    ['channel', `push#${types[0]}`],
    ['channel', `in_app#${types[1]}`],
  ])
  const kept = (await ask('GET /v1/notify/preferences?user_id=ann')).body.data
  t.match(
    kept.map(({ type, channels, digest }: Record<string, unknown>) => ({ type, channels, digest })),
    [
      { type: 'order.paid', channels: ['push'], digest: null },
      { type: 'order.shipped', channels: ['in_app'], digest: null },
    ],
  )
  const { body: less } = await ask(path, {}, keys.mail)
  const hidden = await fetch(`${ingress.url}/send/v1/preferences`, {
    headers: { authorization: `Bearer ${less.token}` },
  })
  t.same(((await hidden.json()) as Reply['body']).notifications, [])
})

t.test('the element is served', async (t) => {
  const entry = await (await fetch(`${ingress.url}/send/v1/preferences-element.js`)).text()
  const [path = ''] = /\.\/preferences-element\/\w+\/mill-preferences\.js/.exec(entry) ?? []
  const file = await fetch(new URL(path, `${ingress.url}/send/v1/`))
  t.match(await file.text(), /customElements\.define\('mill-preferences'/)
  t.equal(file.headers.get('access-control-allow-origin'), '*')
  t.equal((await fetch(`${ingress.url}/send/v1/preferences-element/000000000000/style.js`)).status, 404)
})
