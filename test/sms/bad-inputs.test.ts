import '../support/chat-environment.ts'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { accountSid, smsStack } from './stack.ts'

t.setTimeout(240_000)
const { ask, providerId } = await smsStack(t)

const message = { to: '+37255500001', text: 'Hello' }
const twilio = { account_sid: accountSid, auth_token: 'x' }
const provider = { name: 'P', kind: 'twilio', twilio }
const http = { url: 'https://sms.example.com/', body: { to: '{{to}}', text: '{{text}}' } }
const vonage = { api_key: 'k', signature_secret: 's' }
const deep = { to: '{{to}}', text: '{{text}}', a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }

const cases: readonly [request: string, body: unknown, fields: readonly string[]][] = [
  ['POST /v1/sms/messages', {}, ['body.text', 'body.to']],
  ['POST /v1/sms/messages', [], ['body']],
  ['POST /v1/sms/messages', { ...message, to: '' }, ['body.to']],
  ['POST /v1/sms/messages', { ...message, to: '123' }, ['body.to']],
  ['POST /v1/sms/messages', { ...message, to: '+372' }, ['body.to']],
  ['POST /v1/sms/messages', { ...message, to: ['+37255500001'] }, ['body.to']],
  ['POST /v1/sms/messages', { ...message, text: ' \n ' }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, text: 'a'.repeat(1_601) }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, text: 'a'.repeat(1_531) }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, text: 'я'.repeat(671) }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, text: 'a\u0000b' }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, text: 7 }, ['body.text']],
  ['POST /v1/sms/messages', { ...message, from: 'A very long name' }, ['body.from']],
  ['POST /v1/sms/messages', { ...message, from: '....' }, ['body.from']],
  ['POST /v1/sms/messages', { ...message, from: 'Größe' }, ['body.from']],
  ['POST /v1/sms/messages', { ...message, provider_id: 'x' }, ['body.provider_id']],
  ['POST /v1/sms/messages', { ...message, provider_id: '01a2243e-ddf4-7141-8842-4cd31e5e75d4' }, ['body.provider_id']],
  ['POST /v1/sms/messages', { ...message, client_reference: 'x'.repeat(256) }, ['body.client_reference']],
  ['POST /v1/sms/messages', { ...message, sensitive: 'yes' }, ['body.sensitive']],
  ['POST /v1/sms/messages', { ...message, unknown: 1 }, ['body.unknown']],
  ['POST /v1/sms/providers', {}, ['body.kind', 'body.name']],
  ['POST /v1/sms/providers', { ...provider, kind: 'other' }, ['body.kind']],
  ['POST /v1/sms/providers', { name: 'P', kind: 'twilio' }, ['body.twilio']],
  ['POST /v1/sms/providers', { ...provider, http }, ['body.http']],
  ['POST /v1/sms/providers', { ...provider, name: ' ' }, ['body.name']],
  ['POST /v1/sms/providers', { ...provider, per_second: 0 }, ['body.per_second']],
  ['POST /v1/sms/providers', { ...provider, per_second: 1.5 }, ['body.per_second']],
  ['POST /v1/sms/providers', { ...provider, default: 'yes' }, ['body.default']],
  ['POST /v1/sms/providers', { ...provider, twilio: { ...twilio, account_sid: 'SK1' } }, ['body.twilio.account_sid']],
  ['POST /v1/sms/providers', { ...provider, twilio: { ...twilio, auth_token: 'a\r\nb' } }, ['body.twilio.auth_token']],
  ['POST /v1/sms/providers', { name: 'P', kind: 'vonage', vonage }, ['body.vonage.api_secret']],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'vonage', vonage: { ...vonage, application_id: 'x', private_key: 'y' } },
    ['body.vonage.application_id', 'body.vonage.private_key'],
  ],
  ['POST /v1/sms/providers', { name: 'P', kind: 'http', http: { ...http, url: 'x' } }, ['body.http.url']],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, url: 'http://a.example/' } },
    ['body.http.url'],
  ],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, url: 'https://10.0.0.1/' } },
    ['body.http.url'],
  ],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, url: 'https://169.254.169.254/latest' } },
    ['body.http.url'],
  ],
  ['POST /v1/sms/providers', { name: 'P', kind: 'http', http: { ...http, body: {} } }, ['body.http.body']],
  ['POST /v1/sms/providers', { name: 'P', kind: 'http', http: { ...http, body: deep } }, ['body.http.body']],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, headers: { Host: 'x' } } },
    ['body.http.headers'],
  ],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, headers: { a: 'x\r\ny' } } },
    ['body.http.headers.a'],
  ],
  ['POST /v1/sms/providers', { name: 'P', kind: 'http', http: { ...http, id_path: 'a..b' } }, ['body.http.id_path']],
  [
    'POST /v1/sms/providers',
    { name: 'P', kind: 'http', http: { ...http, callback: { secret: '', statuses: { a: 'b' } } } },
    ['body.http.callback.secret', 'body.http.callback.statuses.a'],
  ],
  ['PATCH /v1/sms/providers/{id}', {}, ['body']],
  ['PATCH /v1/sms/providers/{id}', { http }, ['body.http']],
  ['PATCH /v1/sms/providers/{id}', { default: false }, ['body.default']],
  ['PATCH /v1/sms/providers/{id}', { from: '!' }, ['body.from']],
  ['PUT /v1/sms/settings', { countries: ['XX'] }, ['body.countries.0']],
  ['PUT /v1/sms/settings', { countries: 'EE' }, ['body.countries']],
  ['PUT /v1/sms/settings', { stop_scope: 'all' }, ['body.stop_scope']],
  ['PUT /v1/sms/settings', { stop_text: '' }, ['body.stop_text']],
  ['PUT /v1/sms/settings', { help_text: 'x'.repeat(135) }, ['body.help_text']],
  ['POST /v1/sms/opt-outs', {}, ['body.phone']],
  ['POST /v1/sms/opt-outs', { phone: '1', from: '' }, ['body.from', 'body.phone']],
  ['GET /v1/sms/messages?status=gone&limit=0&phone=1', undefined, ['query.limit', 'query.phone', 'query.status']],
  ['GET /v1/sms/opt-outs?source=x', undefined, ['query.source']],
]

t.test('every invalid field is named, and nothing causes a 500', async (t) => {
  for (const [request, body, fields] of cases) {
    const reply = await ask(request.replace('{id}', providerId), { body })
    const name = `${request} ${JSON.stringify(body)?.slice(0, 120)}`
    t.equal(reply.status, 400, `${name} ${reply.text.slice(0, 200)}`)
    t.same([...new Set(fieldsOf(reply))], fields, name)
  }
  t.ok(cases.length >= 40)
})

t.test('unknown objects are 404, and keys without the scope are rejected', async (t) => {
  for (const path of ['messages', 'providers', 'opt-outs'])
    for (const id of ['01a2243e-ddf4-7141-8842-4cd31e5e75d4', 'x'])
      t.equal((await ask(`${path === 'opt-outs' ? 'DELETE' : 'GET'} /v1/sms/${path}/${id}`)).status, 404, path)
})

t.test('connections have a maximum, and one of them is always the default', async (t) => {
  const made: string[] = []
  for (let i = 0; i < 19; i++) {
    const { status, body } = await ask('POST /v1/sms/providers', { body: { ...provider, default: i === 5 } })
    t.equal(status, 201)
    made.push(body.id)
  }
  t.match(await ask('POST /v1/sms/providers', { body: provider }), {
    status: 409,
    body: { error: { code: 'too_many_providers' } },
  })
  const defaults = async () =>
    (await ask('GET /v1/sms/providers?limit=100')).body.data.filter((one: { default: boolean }) => one.default)
  t.match(await defaults(), [{ id: made[5] }])
  await ask(`DELETE /v1/sms/providers/${made[5]}`)
  t.match(await defaults(), [{ id: providerId }])
})
