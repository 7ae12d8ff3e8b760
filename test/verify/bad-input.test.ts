import '../support/verify-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { phoneNumber, phoneStack } from './phone-stack.ts'

t.setTimeout(240_000)
const stack = await phoneStack(t)
const shop = await stack.customer()
const { ask, start } = shop

const to = '+37251234567'
const sms = { channel: 'sms', to }
/** Bodies of a start with their invalid fields. */
const starts: Record<string, [body: unknown, ...fields: string[]]> = {
  'no body': [{}, 'body.to'],
  'no channel': [{ to }, 'body.channel'],
  'an unknown channel': [{ channel: 'fax', to }, 'body.channel'],
  'no channels': [{ channels: [], to }, 'body.channels'],
  'five channels': [{ channels: Array(5).fill('sms'), to }, 'body.channels'],
  'another first channel': [{ channel: 'sms', channels: ['voice'], to }, 'body.channel'],
  'email with SMS': [{ channels: ['sms', 'email'], to }, 'body.channels'],
  'an email address for SMS': [{ channel: 'sms', to: 'ann@rcpt.example' }, 'body.to'],
  'a number for an email': [{ channel: 'email', to }, 'body.to'],
  'a number without +': [{ ...sms, to: '37251234567' }, 'body.to'],
  'an impossible number': [{ ...sms, to: '+3725' }, 'body.to'],
  'Arabic digits in the number': [{ ...sms, to: '+٣٧٢٥١٢٣٤٥٦٧' }, 'body.to'],
  'an emergency number': [{ ...sms, to: '112' }, 'body.to'],
  'a premium number': [{ ...sms, to: '+3729001234' }, 'body.to'],
  'a list of recipients': [{ ...sms, to: [to] }, 'body.to'],
  'a long recipient': [{ ...sms, to: `+${'1'.repeat(400)}` }, 'body.to'],
  'an empty recipient': [{ ...sms, to: '' }, 'body.to'],
  'a line break in the email address': [{ channel: 'email', to: 'a@b.example\nBcc: c@d.example' }, 'body.to'],
  'an unknown language': [{ ...sms, locale: 'not a tag' }, 'body.locale'],
  'a long brand': [{ ...sms, brand: 'x'.repeat(41) }, 'body.brand'],
  'a link as brand': [{ ...sms, brand: 'https://evil.example' }, 'body.brand'],
  'three digits': [{ ...sms, code_length: 3 }, 'body.code_length'],
  'eleven digits': [{ ...sms, code_length: 11 }, 'body.code_length'],
  'half a digit': [{ ...sms, code_length: 6.5 }, 'body.code_length'],
  'a second': [{ ...sms, ttl: 1 }, 'body.ttl'],
  'a week': [{ ...sms, ttl: 604_800 }, 'body.ttl'],
  'a host name as ip': [{ ...sms, ip: 'localhost' }, 'body.ip'],
  'a network as ip': [{ ...sms, ip: '203.0.113.0/24' }, 'body.ip'],
  'an empty user': [{ ...sms, user_id: '' }, 'body.user_id'],
  'an empty Guard token': [{ ...sms, guard_token: '' }, 'body.guard_token'],
  'nested metadata': [{ ...sms, metadata: { a: { b: 1 } } }, 'body.metadata.a'],
  'too much metadata': [
    { ...sms, metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])) },
    'body.metadata',
  ],
  'a misspelt field': [{ ...sms, chanel: 'sms' }, 'body.chanel'],
  'a null character': [{ ...sms, user_id: 'a\u0000b' }, 'body.user_id'],
  'many faults': [{ channel: 'x', to: 1, ttl: 'a', ip: 1 }, 'body.channel', 'body.ip', 'body.to', 'body.ttl'],
}

/** Other requests with their invalid fields. */
const others: [request: string, body: unknown, ...fields: string[]][] = [
  ['POST /v1/verify/check', {}, 'body.code'],
  ['POST /v1/verify/check', { code: '123456' }, 'body.id'],
  ['POST /v1/verify/check', { id: newId(), to, code: '123456' }, 'body.id'],
  ['POST /v1/verify/check', { id: 'x', code: '123456' }, 'body.id'],
  ['POST /v1/verify/check', { to, code: '123' }, 'body.code'],
  ['POST /v1/verify/erasures', {}, 'body.user_id'],
  ['PUT /v1/verify/settings', { countries: ['ee'] }, 'body.countries.0'],
  ['PUT /v1/verify/settings', { country_budgets: { Estonia: 1 } }, 'body.country_budgets.Estonia'],
  ['PUT /v1/verify/settings', { from_email: 'a@elsewhere.example' }, 'body.from_email'],
  [
    'PUT /v1/verify/settings',
    { whatsapp_template: { name: 'A' } },
    'body.whatsapp_template.language',
    'body.whatsapp_template.name',
  ],
  ['PUT /v1/verify/settings', { max_attempts: 0, per_hour: -1 }, 'body.max_attempts', 'body.per_hour'],
  ['PUT /v1/verify/settings', { sms_sender: 'a sender that is too long' }, 'body.sms_sender'],
  ['PUT /v1/verify/prefixes/372', { state: 'blocked' }, 'path.prefix'],
  ['PUT /v1/verify/prefixes/%2B372', { state: 'open' }, 'body.state'],
  ['PUT /v1/verify/prefixes/%2B372', { state: 'blocked', hours: 0 }, 'body.hours'],
  ['GET /v1/verify?status=done', undefined, 'query.status'],
  ['GET /v1/verify/conversions?by=hour&days=90', undefined, 'query.by', 'query.days'],
]

t.test('each invalid field of a start is named', async (t) => {
  for (const [name, [body, ...fields]] of Object.entries(starts)) {
    const reply = await ask('POST /v1/verify/start', { body })
    t.equal(reply.status, 400, `${name}: ${reply.text}`)
    t.same(fieldsOf(reply), fields, name)
  }
})

t.test('each invalid field of other requests is named', async (t) => {
  for (const [request, body, ...fields] of others) {
    const reply = await ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, 400, `${request}: ${reply.text}`)
    t.same(fieldsOf(reply), fields, `${request} ${JSON.stringify(body)}`)
  }
})

t.test('what does not exist is not found, and a channel without set-up says what to do', async (t) => {
  for (const request of [`GET /v1/verify/${newId()}`, 'GET /v1/verify/x', 'DELETE /v1/verify/prefixes/%2B3725000'])
    t.equal((await ask(request)).status, 404, request)
  t.equal((await shop.check({ to, code: '123456' })).status, 404)
  for (const channel of ['email', 'whatsapp']) {
    const reply = await start(channel === 'email' ? 'ann@rcpt.example' : phoneNumber(), { channel })
    t.match(reply, { status: 409, body: { error: { code: 'channel_not_configured' } } }, reply.text)
    t.match(reply.body.error.message, /`POST \//)
  }
})

t.test('an erasure deletes the verifications of a person only', async (t) => {
  const [ann, bob] = [phoneNumber(), phoneNumber()]
  const begin = async (to: string, user_id: string) => (await start(to, { user_id })).body.id as string
  const [first, second, other] = [await begin(ann, 'ann'), await begin(ann, 'ann-2'), await begin(bob, 'bob')]
  const stranger = await stack.customer()
  const erase = { body: { user_id: 'ann', to: ann } }
  t.same((await stranger.ask('POST /v1/verify/erasures', erase)).body, { deleted: 0 })
  t.same((await ask('POST /v1/verify/erasures', erase)).body, { deleted: 2 })
  for (const id of [first, second]) t.equal((await ask(`GET /v1/verify/${id}`)).status, 404)
  t.equal((await ask(`GET /v1/verify/${other}`)).status, 200)
})
