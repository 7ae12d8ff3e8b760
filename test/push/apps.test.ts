import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { apnsForm, fcmToken, p8, pushStack, serviceAccount } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask } = stack
const nobody = '0198f1c2-7f00-7000-8000-000000000001'

t.test('an app is made with a VAPID key, listed, renamed and deleted', async (t) => {
  const made = await ask('POST /push/v1/apps', { body: { name: ' Shop ' } })
  t.match(made, { status: 201, body: { name: 'Shop', vapid_public_key: /^B[\w-]{86}$/ } })
  const { id, vapid_public_key } = made.body
  t.same((await ask(`GET /push/v1/apps/${id}`)).body, made.body)
  t.match((await ask('GET /push/v1/apps')).body.data, [{ id, vapid_public_key }])
  t.equal((await ask(`PATCH /push/v1/apps/${id}`, { body: { name: 'Store' } })).body.name, 'Store')
  t.same((await ask(`DELETE /push/v1/apps/${id}`)).body, { id, deleted: true })
  t.equal((await ask(`GET /push/v1/apps/${id}`)).status, 404)
})

t.test('a credential is checked by its form and by its provider, and its secret is never shown again', async (t) => {
  const app = await stack.app()
  const path = `/push/v1/apps/${app}/credentials`
  const apns = await ask(`PUT ${path}/apns`, { body: apnsForm })
  t.match(apns, {
    status: 200,
    body: {
      facts: { key_id: 'ABC123DEFG', team_id: 'TEAM123456', topic: 'com.example.shop' },
      check: 'ok',
      breaker: null,
    },
  })
  const fcm = await ask(`PUT ${path}/fcm`, { body: { service_account: serviceAccount } })
  t.match(fcm.body, { check: 'ok', facts: { project_id: 'demo-project' } })
  stack.providers.checks = async () => 'invalid_grant'
  t.match((await ask(`PUT ${path}/fcm`, { body: { service_account: serviceAccount } })).body, {
    check: 'failed',
    check_reason: 'invalid_grant',
  })
  stack.providers.checks = async () => {
    throw new Error('connect ECONNREFUSED')
  }
  t.match((await ask(`PUT ${path}/apns`, { body: { ...apnsForm, environment: 'sandbox' } })).body, {
    environment: 'sandbox',
    check: 'unreachable',
    check_reason: /ECONNREFUSED/,
  })
  stack.providers.checks = async () => undefined
  const shown = await ask(`GET ${path}/apns`)
  t.equal(shown.body.data.length, 2)
  const rows = await stack.db.anyFirst(sql.type(z.object({ secret: z.string() }))`select secret from push.credentials`)
  for (const text of [apns.text, fcm.text, shown.text, ...rows]) t.notMatch(text, /PRIVATE KEY/)
  t.equal((await ask(`DELETE ${path}/apns?environment=sandbox`)).status, 200)
  t.equal((await ask(`GET ${path}/apns`)).body.data.length, 1)
  t.equal((await ask(`DELETE ${path}/apns`)).status, 200)
  t.equal((await ask(`DELETE ${path}/apns`)).status, 404)
})

t.test('a new VAPID key keeps its subject unless another is given', async (t) => {
  const app = await stack.app()
  const before = (await ask(`GET /push/v1/apps/${app}`)).body.vapid_public_key
  const subject = 'mailto:push@example.com'
  const put = await ask(`PUT /push/v1/apps/${app}/credentials/webpush`, { body: { subject } })
  t.equal(put.body.facts.subject, subject)
  const again = await ask(`PUT /push/v1/apps/${app}/credentials/webpush`, { body: {} })
  t.equal(again.body.facts.subject, subject)
  const now = (await ask(`GET /push/v1/apps/${app}`)).body.vapid_public_key
  t.equal(now, again.body.facts.public_key)
  t.not(now, before)
})

t.test('a bad credential is refused with every field at fault, and no word of what was in it', async (t) => {
  const app = await stack.app()
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const cases: [string, unknown, string[]][] = [
    ['apns', {}, ['body.key', 'body.key_id', 'body.team_id', 'body.topic']],
    ['apns', { ...apnsForm, key: 'no pem' }, ['body.key']],
    ['apns', { ...apnsForm, key: other }, ['body.key']],
    ['apns', { ...apnsForm, key: serviceAccount.private_key }, ['body.key']],
    ['apns', { ...apnsForm, key_id: 'short', topic: 'a b' }, ['body.key_id', 'body.topic']],
    ['apns', { ...apnsForm, environment: 'test', more: 1 }, ['body.environment', 'body.more']],
    ['fcm', {}, ['body.service_account']],
    ['fcm', { service_account: '{}' }, ['body.service_account']],
    ['fcm', { service_account: { ...serviceAccount, private_key: p8 } }, ['body.service_account.private_key']],
    [
      'fcm',
      { service_account: {} },
      ['body.service_account.client_email', 'body.service_account.private_key', 'body.service_account.project_id'],
    ],
    ['fcm', { service_account: serviceAccount, environment: 'sandbox' }, ['body.environment']],
    ['webpush', { subject: 'me' }, ['body.subject']],
    ['huawei', {}, ['path.provider']],
  ]
  for (const [provider, body, fields] of cases) {
    const reply = await ask(`PUT /push/v1/apps/${app}/credentials/${provider}`, { body })
    t.equal(reply.status, 400, JSON.stringify(body).slice(0, 60))
    t.same(fieldsOf(reply), fields)
    t.notMatch(reply.text, /PRIVATE/)
  }
  t.equal((await ask('POST /push/v1/apps', { body: { name: '' } })).status, 400)
})

t.test('a template has languages and variables; a change that comes second is refused', async (t) => {
  const locales = { en: { title: 'Hi {{name}}', body: 'Order {{ order.id }}' }, de: { title: 'Hallo {{name}}' } }
  const made = await ask('POST /push/v1/templates', { body: { name: 'hello', locales, default_locale: 'en' } })
  t.match(made, { status: 201, body: { version: 1, variables: ['name', 'order.id'], locales } })
  const path = `/push/v1/templates/${made.body.id}`
  const { locales: _, ...summary } = made.body
  t.same((await ask('GET /push/v1/templates')).body.data, [summary], 'a list has no texts, and the variables')
  const changed = await ask(`PATCH ${path}`, { body: { name: 'hello 2', version: 1 } })
  t.match(changed.body, { name: 'hello 2', version: 2, locales })
  t.equal((await ask(`PATCH ${path}`, { body: { name: 'late', version: 1 } })).status, 409)
  t.same(fieldsOf(await ask(`PATCH ${path}`, { body: { default_locale: 'fr' } })), ['body.default_locale'])
  t.same(fieldsOf(await ask('POST /push/v1/templates', { body: { name: 'x', locales: {}, default_locale: 'en' } })), [
    'body.locales',
  ])
  t.equal((await ask(`DELETE ${path}`)).status, 200)
  t.equal((await ask(`GET ${path}`)).status, 404)
})

t.test('what belongs to another organisation is not found, by any operation', async (t) => {
  const app = await stack.app('apns')
  const device = await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  const message = await stack.send(app, 'nobody')
  const locales = { en: { title: 'Hi' } }
  const { body: template } = await ask('POST /push/v1/templates', {
    body: { name: 'x', locales, default_locale: 'en' },
  })
  const { keys: theirs } = await testOrg(stack.db, ['push:send', 'push:manage', 'push:receipt'])
  const key = theirs.main
  const target = { type: 'user', id: 'ann' }
  const requests: [string, unknown?][] = [
    [`GET /push/v1/apps/${app}`],
    [`PATCH /push/v1/apps/${app}`, { name: 'mine' }],
    [`DELETE /push/v1/apps/${app}`],
    [`PUT /push/v1/apps/${app}/credentials/apns`, apnsForm],
    [`GET /push/v1/apps/${app}/credentials/apns`],
    [`DELETE /push/v1/apps/${app}/credentials/apns`],
    [`GET /push/v1/apps/${app}/stats`],
    [`GET /push/v1/apps/${app}/insights`],
    [`GET /push/v1/apps/${app}/installations`],
    [`GET /push/v1/apps/${app}/deliveries`],
    ['POST /push/v1/users', { app_id: app, user_id: 'ann' }],
    ['POST /push/v1/installations', { app_id: app, user_id: 'ann', push_provider: 'sse' }],
    [`DELETE /push/v1/installations/${device.id}`],
    ['POST /push/v1/messages', { app_id: app, target, title: 'Hi' }],
    [`GET /push/v1/messages/${message.id}`],
    [`GET /push/v1/messages/${message.id}/trace`],
    [`DELETE /push/v1/messages/${message.id}`],
    [`GET /push/v1/templates/${template.id}`],
    [`PATCH /push/v1/templates/${template.id}`, { name: 'mine' }],
    [`DELETE /push/v1/templates/${template.id}`],
  ]
  for (const [request, body] of requests) {
    const refused = await stack.ingress.ask(request, { key, body })
    t.equal(refused.status, 404, request)
    const made = JSON.parse(JSON.stringify([request, body ?? null]).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, nobody))
    const none = await stack.ingress.ask(made[0], { key, body: made[1] ?? undefined })
    t.same(none.body.error.message, refused.body.error.message, 'as one that is nobody’s')
  }
  const { body: own } = await stack.ingress.ask('POST /push/v1/apps', { key, body: { name: 'Theirs' } })
  const mixed = { app_id: own.id, target, template_id: template.id }
  t.equal((await stack.ingress.ask('POST /push/v1/messages', { key, body: mixed })).status, 404)
  t.same((await stack.ingress.ask('GET /push/v1/templates', { key })).body.data, [])
  t.equal((await stack.ingress.ask('GET /push/v1/apps', { key })).body.data.length, 1)
})

t.test('a key that is bound to an app is refused for another, and a public one may register nothing', async (t) => {
  const [app, other] = [await stack.app(), await stack.app()]
  const message = await stack.send(other, 'ann')
  const locks = { app_id: app }
  const bound = await keys.create(stack.db, {
    orgId: stack.orgId,
    prefix: 'bt_live_',
    name: 'bound',
    scopes: ['push:send', 'push:manage'],
    locks,
  })
  const site = await keys.create(stack.db, {
    orgId: stack.orgId,
    prefix: 'bt_site_',
    name: 'site',
    scopes: ['push:receipt', 'push:send'],
    locks,
  })
  const as = (key: string, request: string, body?: unknown) => stack.ingress.ask(request, { key, body })
  const device = (app_id: string) => ({ app_id, user_id: 'ann', push_provider: 'sse' })
  const send = (app_id: string) => ({ app_id, target: { type: 'user', id: 'ann' }, title: 'Hi' })
  t.equal((await as(bound.secret, 'POST /push/v1/installations', device(app))).status, 200)
  t.equal((await as(bound.secret, 'POST /push/v1/messages', send(app))).status, 202)
  t.same(
    (await as(bound.secret, 'GET /push/v1/apps')).body.data.map(({ id }: { id: string }) => id),
    [app],
  )
  for (const [request, body] of [
    ['POST /push/v1/installations', device(other)],
    ['POST /push/v1/messages', send(other)],
    ['POST /push/v1/apps', { name: 'more' }],
    [`GET /push/v1/apps/${other}`],
    [`GET /push/v1/messages/${message.id}`],
  ] as [string, unknown?][]) {
    const reply = await as(bound.secret, request, body)
    t.match(reply, { status: 403, body: { error: { code: 'forbidden' } } }, request)
  }
  t.equal((await as(site.secret, 'POST /push/v1/installations', device(app))).status, 403)
})
