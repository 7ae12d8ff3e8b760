import '../support/webhooks-environment.ts'
import t from 'tap'
import { create as createKey } from '#sql/account/keys.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t, ['push'])
const { ask, db } = stack
const url = 'https://example.com/hooks'
const add = (body: unknown, key = stack.key) => ask('POST /send/v1/webhooks', { body, key })

t.test('events are taken by either name, and shown as the contract has them', async (t) => {
  const events = ['bounced', 'email.bounced', 'email.sent', 'marketing.paused']
  t.match(await add({ url: 'HTTPS://EXAMPLE.com:443/a b', events }), {
    status: 201,
    body: { url: 'https://example.com/a%20b', events: ['bounced', 'sent', 'marketing.paused'], status: 'enabled' },
  })
  t.match((await add({ url, events: ['sent', '*'] })).body, { events: ['*'] })
  const push = await testOrg(db, ['push:manage'])
  const key = push.keys.main
  const added = await ask('POST /push/v1/webhooks', { key, body: { url, events: ['opened', 'push.delivered'] } })
  t.match([added.status, added.body.events], [201, ['push.opened', 'push.delivered']])
  t.equal((await ask('GET /push/v1/webhooks', { key })).body.data.length, 1)
})

const faulty: [name: string, body: unknown, fields: string[]][] = [
  ['nothing', {}, ['body.events', 'body.url']],
  ['no object', [], ['body']],
  ['null', null, ['body']],
  ['a number for a URL', { url: 7, events: ['sent'] }, ['body.url']],
  ['no URL', { url: 'example.com/hooks', events: ['sent'] }, ['body.url']],
  ['an empty URL', { url: '', events: ['sent'] }, ['body.url']],
  ['a long URL', { url: `${url}/${'a'.repeat(2_048)}`, events: ['sent'] }, ['body.url']],
  ['another scheme', { url: 'ftp://example.com/', events: ['sent'] }, ['body.url']],
  ['a script', { url: 'javascript:alert(1)', events: ['sent'] }, ['body.url']],
  ['a file', { url: 'file:///etc/passwd', events: ['sent'] }, ['body.url']],
  ['credentials', { url: 'https://user:pass@example.com/', events: ['sent'] }, ['body.url']],
  ['a fragment', { url: `${url}#here`, events: ['sent'] }, ['body.url']],
  ['a private address', { url: 'https://10.0.0.1/', events: ['sent'] }, ['body.url']],
  ['the metadata service', { url: 'http://169.254.169.254/latest', events: ['sent'] }, ['body.url']],
  ['an address as a number', { url: 'https://2130706434/', events: ['sent'] }, ['body.url']],
  ['an address in octal', { url: 'https://0177.0.0.2/', events: ['sent'] }, ['body.url']],
  ['IPv6 loopback', { url: 'https://[::1]/', events: ['sent'] }, ['body.url']],
  ['IPv4 in IPv6', { url: 'https://[::ffff:127.0.0.2]/', events: ['sent'] }, ['body.url']],
  ['another port of a public address', { url: 'https://1.1.1.1:22/', events: ['sent'] }, ['body.url']],
  ['no events', { url, events: [] }, ['body.events']],
  ['one event, not in a list', { url, events: 'sent' }, ['body.events']],
  ['an unknown event', { url, events: ['sent', 'seen'] }, ['body.events.1']],
  ['an event of another area', { url, events: ['video.asset.ready'] }, ['body.events.0']],
  ['too many events', { url, events: Array(100).fill('sent') }, ['body.events']],
  ['a secret of one’s own', { url, events: ['sent'], secret: 'whsec_AAAA' }, ['body.secret']],
  ['several at once', { url: 'http:', events: [1], more: true }, ['body.events.0', 'body.more', 'body.url']],
]

t.test('what is wrong with an endpoint is named, each field', async (t) => {
  for (const [name, body, fields] of faulty) {
    const reply = await add(body)
    t.equal(reply.status, 400, name)
    if (reply.status === 400 && reply.body.error.details) t.same(fieldsOf(reply), fields, name)
  }
  t.match((await add({ url: 'https://10.0.0.1/', events: ['sent'] })).body.error.message, /not a public address/)
})

t.test('other requests are answered as clearly', async (t) => {
  const { id } = await stack.add(url)
  const cases: [string, unknown, string[]][] = [
    ['rotate-secret', { keep_hours: -1 }, ['body.keep_hours']],
    ['rotate-secret', { keep_hours: 1.5 }, ['body.keep_hours']],
    ['rotate-secret', { keep_hours: 169, secret: 'mine' }, ['body.keep_hours', 'body.secret']],
    ['replay', {}, ['body.since']],
    ['replay', { since: 'yesterday', status: 'lost' }, ['body.since', 'body.status']],
  ]
  for (const [path, body, fields] of cases) {
    const reply = await ask(`POST /send/v1/webhooks/${id}/${path}`, { body })
    t.equal(reply.status, 400, path)
    t.same(fieldsOf(reply), fields)
  }
  const list = await ask(`GET /send/v1/webhooks/${id}/deliveries?status=odd&limit=0`)
  t.same(fieldsOf(list), ['query.limit', 'query.status'])
  const nowhere = `/send/v1/webhooks/${id}/deliveries/${id}/replay`
  t.equal((await ask(`POST ${nowhere}`)).status, 404)
})

t.test('what is another’s, or another area’s, is not there', async (t) => {
  const { id } = await stack.add(url)
  const { keys } = await testOrg(db, ['email:manage'])
  const operations = [
    [`DELETE /send/v1/webhooks/${id}`],
    [`POST /send/v1/webhooks/${id}/test`],
    [`POST /send/v1/webhooks/${id}/enable`],
    [`POST /send/v1/webhooks/${id}/rotate-secret`, {}],
    [`GET /send/v1/webhooks/${id}/deliveries`],
    [`POST /send/v1/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }],
  ] as const
  for (const [request, body] of operations) {
    t.equal((await ask(request, { key: keys.main, body })).status, 404, request)
    t.equal((await ask(request.replace(id, 'no-id'), { body })).status, 404, request)
  }
  const push = await createKey(db, { orgId: stack.orgId, prefix: 'bt_live_', name: 'push', scopes: ['push:manage'] })
  t.equal((await ask(`DELETE /push/v1/webhooks/${id}`, { key: push.secret })).status, 404)
  t.equal((await add({ url, events: ['sent'] }, push.secret)).status, 403)
  t.equal((await ask('GET /send/v1/webhooks', { key: keys.main })).body.data.length, 0)
})

t.test('an organisation has ten of an area at most', async (t) => {
  const { keys } = await testOrg(db, ['email:manage'])
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await add({ url, events: ['sent'] }, keys.main)).status)
  t.same(statuses, [...Array(10).fill(201), 409])
  const { body } = await ask('GET /send/v1/webhooks?limit=4', { key: keys.main })
  t.equal(body.data.length, 4)
  t.ok(body.next_cursor)
})
