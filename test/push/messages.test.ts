import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { apnsToken, fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, providers } = stack
const app = await stack.app('apns', 'fcm')
await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })

const body = (facts: Record<string, unknown>) => ({ app_id: app, target: { type: 'user', id: 'ann' }, ...facts })
const post = (facts: Record<string, unknown>, headers = {}) =>
  ask('POST /push/v1/messages', { body: body(facts), headers })

t.test('a message is accepted once for a key, and another under it is refused', async (t) => {
  const first = await post({ title: 'Hi', idempotency_key: 'one' })
  t.match(first, { status: 202, body: { status: 'queued' } })
  const again = await post({ title: 'Hi', idempotency_key: 'one' })
  t.same(again.body, first.body)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.match(await post({ title: 'Ho', idempotency_key: 'one' }), { status: 409, body: { error: { code: 'conflict' } } })
  const header = { 'idempotency-key': 'two' }
  const many = await Promise.all(Array.from({ length: 20 }, () => post({ title: 'Hi' }, header)))
  t.equal(new Set(many.map(({ body }) => body.id)).size, 1)
  t.same(new Set(many.map(({ status }) => status)), new Set([202]))
  await stack.ended(first.body.id)
  await stack.ended(many[0]?.body.id)
  t.equal(providers.sent.length, 2)
})

t.test('of many at once, those that are refused do not hold up the others', async (t) => {
  const facts = Array.from({ length: 60 }, (_, i) => {
    if (i % 3 === 0) return { title: `${i}` }
    return i % 3 === 1
      ? { title: 'x'.repeat(900), body: 'y'.repeat(4_000) }
      : { app_id: '0198f1c2-7f00-7000-8000-000000000001', title: 'x' }
  })
  const replies = await Promise.all(facts.map((one) => post(one)))
  t.same(
    replies.map(({ status }) => status),
    facts.map((_, i) => [202, 400, 404][i % 3]),
  )
})

t.test('who has no device gets a message that says so', async (t) => {
  const reply = await ask('POST /push/v1/messages', {
    body: { app_id: app, target: { type: 'user', id: 'nobody' }, title: 'Hi' },
  })
  t.match(reply, { status: 202, body: { status: 'no_devices' } })
  t.match(await stack.ended(reply.body.id), { status: 'no_devices', counts: { devices: 0 } })
})

t.test('a payload that a provider would refuse is refused, with its size and limit', async (t) => {
  const fits = await post({ title: 'Hi', body: 'ä'.repeat(1_750) })
  t.equal(fits.status, 202)
  const large = await post({ title: 'Hi', body: 'ä'.repeat(1_990) })
  t.match(large, {
    status: 400,
    body: { error: { code: 'bad_request', message: /bytes for webpush, but the limit is 3993/ } },
  })
  t.match(
    large.body.error.details.map((one: { provider: string; limit: number }) => [one.provider, one.limit]),
    [
      ['apns', 4096],
      ['fcm', 4096],
      ['webpush', 3993],
    ],
  )
  const own = await post({ title: 'Hi', overrides: { apns: { more: 'x'.repeat(4_000) } } })
  t.same(
    own.body.error.details.map(({ provider }: { provider: string }) => provider),
    ['apns'],
  )
  const locales = { en: { title: 'Hi' }, de: { title: 'Hallo', body: '{{text}}' } }
  const template = await ask('POST /push/v1/templates', { body: { name: 'x', locales, default_locale: 'en' } })
  const rendered = await post({ template_id: template.body.id, variables: { text: 'x'.repeat(3_990) } })
  t.match(rendered, { status: 400, body: { error: { details: [{ locale: 'de' }] } } })
})

t.test('a template speaks the language of each device, or of its person, or its own', async (t) => {
  const locales = {
    en: { title: 'Hi {{name}}', body: 'Order {{order}}', data: { kind: 'order-{{order}}' } },
    de: { title: 'Hallo {{name}}' },
    'pt-BR': { title: 'Oi {{name}}' },
  }
  const { body: template } = await ask('POST /push/v1/templates', {
    body: { name: 'x', locales, default_locale: 'en' },
  })
  const languages = { de: apnsToken(), 'de-AT': apnsToken(), 'pt-br': apnsToken(), pt: apnsToken(), fr: apnsToken() }
  for (const [locale, token] of Object.entries(languages))
    await stack.device(app, 'babel', { push_provider: 'apns', token, locale })
  const plain = apnsToken()
  await stack.device(app, 'babel', { push_provider: 'apns', token: plain })
  await ask('POST /push/v1/users', { body: { app_id: app, user_id: 'babel', locale: 'pt-BR' } })
  providers.sent = []
  const sent = await stack.send(app, 'babel', {
    template_id: template.id,
    variables: { name: '{{order}}', order: 7 },
    data: { more: '1' },
  })
  t.match(await stack.ended(sent.id), { template: { id: template.id, version: 1 }, counts: { sent: 6 } })
  const titleOf = (token: string) => {
    const { payload } = providers.sent.find(({ push }) => push.token === token)?.push ?? {}
    return (payload?.aps as { alert: { title: string } } | undefined)?.alert.title
  }
  t.same(Object.values(languages).map(titleOf), [
    'Hallo {{order}}',
    'Hallo {{order}}',
    'Oi {{order}}',
    'Hi {{order}}',
    'Hi {{order}}',
  ])
  t.equal(titleOf(plain), 'Oi {{order}}')
  const english = providers.sent.find(({ push }) => push.token === languages.fr)?.push.payload
  t.match(english, { aps: { alert: { body: 'Order 7' } }, data: { kind: 'order-7', more: '1' } })
  const missing = await post({ template_id: template.id, variables: { name: 'x' } })
  t.same(fieldsOf(missing), ['body.variables.order'])
})

t.test('what is said for one provider alone has the last word; data alone is silent', async (t) => {
  await stack.device(app, 'gina', { push_provider: 'apns', token: apnsToken() })
  providers.sent = []
  const image = 'https://example.com/picture.jpg'
  const overrides = { apns: { aps: { sound: 'default', alert: { subtitle: 'sub' } } }, fcm: { never: true } }
  await stack.ended((await stack.send(app, 'gina', { title: 'Hi', image, overrides })).id)
  const { push: _, ...payload } = providers.sent[0]?.push.payload ?? {}
  t.same(payload, {
    aps: { alert: { title: 'Hi', subtitle: 'sub' }, 'mutable-content': 1, sound: 'default' },
    image,
  })
  await stack.ended((await stack.send(app, 'gina', { data: { a: '1' }, ttl: 0, priority: 1 })).id)
  t.match(providers.sent[1]?.push, {
    background: true,
    ttl: 0,
    priority: 'low',
    payload: { aps: { 'content-available': 1 }, data: { a: '1' } },
  })
})

t.test('a bad message is refused with every field at fault', async (t) => {
  const far = new Date(Date.now() + 31 * 24 * 3_600_000).toISOString()
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['body.title']],
    [{ title: 'x', target: { type: 'topic', id: '' } }, ['body.target.id']],
    [{ title: 1, body: [], data: { a: 1 } }, ['body.body', 'body.data.a', 'body.title']],
    [
      { title: 'x', data: { from: 'x', google_x: 'y', push_id: 'z' } },
      ['body.data.from', 'body.data.google_x', 'body.data.push_id'],
    ],
    [{ title: 'x', priority: 0, ttl: -1 }, ['body.priority', 'body.ttl']],
    [{ title: 'x', priority: 11, ttl: 2_419_201 }, ['body.priority', 'body.ttl']],
    [{ title: 'x', collapse_key: 'a b', send_at: far }, ['body.collapse_key', 'body.send_at']],
    [{ title: 'x', send_at: 'tomorrow', dry_run: 'yes' }, ['body.dry_run', 'body.send_at']],
    [{ title: 'x', image: 'http://example.com/x.png' }, ['body.image']],
    [{ title: 'x', template_id: app }, ['body.title']],
    [{ title: 'x', variables: {} }, ['body.variables']],
    [{ title: 'x', overrides: { sse: {}, fcm: { token: 'x' } } }, ['body.overrides.fcm', 'body.overrides.sse']],
    [{ title: 'x', overrides: { fcm: { token: 'x' } } }, ['body.overrides.fcm']],
    [{ title: 'x', idempotency_key: '' }, ['body.idempotency_key']],
    [{ title: 'x', colour: 'red' }, ['body.colour']],
  ]
  for (const [facts, fields] of cases) {
    const reply = await post(facts)
    t.equal(reply.status, 400, JSON.stringify(facts).slice(0, 80))
    t.same(fieldsOf(reply), fields, JSON.stringify(facts).slice(0, 80))
  }
  t.equal((await post({ template_id: app })).status, 404)
  t.equal((await ask('GET /push/v1/messages/none')).status, 404)
})
