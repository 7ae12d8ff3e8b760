import '../support/chat-environment.ts'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { notifying, person } from './people.ts'

t.setTimeout(240_000)
const { teller } = await notifying(t)
const { ask, tell, prefer } = await teller()
const base = { kind: 'slack', name: '#orders', url: 'https://hooks.slack.com/services/T/B/X' }
const unknown = '01a2243e-ddf4-7141-8842-4cd31e5e75d4'

t.test('every invalid field is named', async (t) => {
  const { body: made } = await ask('POST /v1/notify/connections', { body: base })
  t.match(made, { state: 'unverified', host: 'hooks.slack.com', secret: null })
  const cases: readonly [request: string, body: unknown, fields: readonly string[]][] = [
    ['POST /v1/notify/connections', {}, ['body.kind', 'body.name', 'body.url']],
    ['POST /v1/notify/connections', { ...base, kind: 'irc' }, ['body.kind']],
    ['POST /v1/notify/connections', { ...base, name: '' }, ['body.name']],
    ['POST /v1/notify/connections', { ...base, name: 'x'.repeat(101) }, ['body.name']],
    ['POST /v1/notify/connections', { ...base, url: '' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, url: 'hooks.slack.com' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, url: 'https://hooks.slack.com/' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, url: 'https://hooks.slack.com:8443/services/x' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, url: 'https://ann@hooks.slack.com/services/x' }, ['body.url']],
    [
      'POST /v1/notify/connections',
      { ...base, url: `https://hooks.slack.com/services/${'x'.repeat(2_048)}` },
      ['body.url'],
    ],
    ['POST /v1/notify/connections', { ...base, kind: 'teams' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, kind: 'discord' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, kind: 'url', url: 'http://example.com/' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, kind: 'url', url: 'https://127.0.0.1/' }, ['body.url']],
    ['POST /v1/notify/connections', { ...base, default: 1 }, ['body.default']],
    ['POST /v1/notify/connections', { ...base, more: 1 }, ['body.more']],
    [`PATCH /v1/notify/connections/${made.id}`, {}, ['body']],
    [`PATCH /v1/notify/connections/${made.id}`, { url: 'https://example.com/' }, ['body.url']],
    [`PATCH /v1/notify/connections/${made.id}`, { kind: 'url' }, ['body', 'body.kind']],
    ['GET /v1/notify/connections?kind=x&state=y', undefined, ['query.kind', 'query.state']],
    ['GET /v1/notify/chat-messages?status=x&connection_id=y', undefined, ['query.connection_id', 'query.status']],
    ['PUT /v1/notify/people/ann', { connection_ids: ['x'] }, ['body.connection_ids.0']],
    ['PUT /v1/notify/people/ann', { connection_ids: [unknown, made.id] }, ['body.connection_ids.0']],
    [
      'POST /v1/notify/people/batch',
      { people: [{ user_id: 'a' }, { user_id: 'b', connection_ids: [unknown] }] },
      ['body.people.1.connection_ids.0'],
    ],
    ['PUT /v1/notify/texts', { type: 'a', locale: 'en', title: 'A', sms: 'x'.repeat(481) }, ['body.sms']],
    ['PUT /v1/notify/texts', { type: 'a', locale: 'en', title: 'A', sms: '{{what}}' }, ['body.sms']],
  ]
  for (const [request, body, fields] of cases) {
    const reply = await ask(request, { body })
    const name = `${request} ${JSON.stringify(body)?.slice(0, 120)}`
    t.equal(reply.status, 400, `${name} ${reply.text.slice(0, 200)}`)
    if (reply.status === 400) t.same([...new Set(fieldsOf(reply))], fields, name)
  }
  for (const request of [
    'GET /v1/notify/connections/',
    'DELETE /v1/notify/connections/',
    'GET /v1/notify/chat-messages/',
  ])
    t.equal((await ask(request + unknown)).status, 404, request)
  t.match(await tell(person(), { channels: ['fax'] }), { status: 400 })
})

t.test('without these channels, events answer as before; chosen ones say what is missing', async (t) => {
  const user = person()
  const { body: usual } = await tell(user)
  t.same(
    usual.channels.map(({ channel }: { channel: string }) => channel),
    ['in_app', 'email', 'push'],
  )
  t.equal((await prefer(user, ['sms', 'slack', 'url'])).status, 200)
  const { body } = await tell(user)
  t.match(body.channels.slice(3), [
    { channel: 'sms', used: false, reason: 'no_phone' },
    { channel: 'slack', used: false, reason: 'no_connection' },
    { channel: 'url', used: false, reason: 'no_connection' },
  ])
})

t.test('a text has a short text for SMS', async (t) => {
  const text = {
    type: 'order.shipped',
    locale: 'en',
    title: 'Shipped',
    body: 'A long text',
    sms: 'Order {{data.order}} shipped',
  }
  t.match(await ask('PUT /v1/notify/texts', { body: text }), { status: 200, body: text })
  t.match((await ask('GET /v1/notify/texts')).body.data, [text])
})
