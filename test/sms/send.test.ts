import t from 'tap'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { twilioError } from './provider-server.ts'
import { accountSid, authToken, sender, smsStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await smsStack(t)
const { server, ask, say, read, tell } = stack
await stack.startWorkers()

let numbers = 55_500_000
const person = () => `+372${numbers++}`

const settled = (id: string, ...statuses: string[]) =>
  until(async () => {
    const { body } = await read(id)
    return statuses.includes(body.status) && body
  })

t.test('a message reaches the provider, and its way is told in any order', async (t) => {
  const to = person()
  const reply = await say(` ${to} `, 'Your order is ready.', { client_reference: 'order-1' })
  t.match(reply, {
    status: 200,
    body: { to, from: sender, status: 'queued', segments: 1, encoding: 'gsm7', client_reference: 'order-1' },
  })
  const { id } = reply.body
  const sent = await settled(id, 'sent')
  const [request] = server.received.filter(({ form }) => form.get('To') === to)
  t.equal(request?.path, `/2010-04-01/Accounts/${accountSid}/Messages.json`)
  t.equal(request?.authorization, `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`)
  t.match(Object.fromEntries(request?.form ?? []), { To: to, From: sender, Body: 'Your order is ready.' })
  t.match(request?.form.get('StatusCallback'), new RegExp(`/callbacks/${stack.providerId}/status\\?message=${id}$`))
  const sid = sent.provider_message_id
  t.match(sid, /^SM\d+$/)
  t.equal((await tell(id, sid, 'delivered')).status, 200)
  t.equal((await tell(id, sid, 'sent')).status, 200)
  t.equal((await tell(id, sid, 'delivered')).status, 200)
  const { body } = await read(id)
  t.equal(body.status, 'delivered')
  const events = emittedTo(stack.orgId).filter(({ data }) => (data as { id?: string }).id === id)
  t.strictSame(
    events.map(({ type }) => type),
    ['sms.message.sent', 'sms.message.delivered'],
  )
})

t.test('a rejection of the provider has a code of ours and the code of the provider, without its words', async (t) => {
  server.next.push(twilioError(21_211))
  const { body } = await say(person())
  const failed = await settled(body.id, 'failed')
  t.match(failed.error, { code: 'invalid_recipient', provider_code: '21211', retryable: false })
  t.notMatch(JSON.stringify(failed), 'secret words')
})

t.test('a country that is not allowed is rejected; the settings allow it', async (t) => {
  const refused = await say('+4915112345678')
  t.match(refused, { status: 400, body: { error: { code: 'country_not_allowed' } } })
  t.equal((await ask('PUT /v1/sms/settings', { body: { countries: ['EE', 'DE'] } })).status, 200)
  t.equal((await say('+4915112345678')).status, 200)
  t.match(await say('+499001234567'), { status: 400, body: { error: { code: 'premium_not_allowed' } } })
})

t.test('a test key sends nothing', async (t) => {
  const sent = await ask('POST /v1/sms/messages', {
    key: stack.testKey,
    body: { to: '+4915112345699', text: 'Code 123', sensitive: true },
  })
  t.match(sent, { status: 200, body: { status: 'delivered', sandbox: true } })
  const { body } = await ask(`GET /v1/sms/messages/${sent.body.id}`, { key: stack.testKey })
  t.equal(body.status, 'delivered')
  t.notOk(server.received.some(({ form }) => form.get('To') === '+4915112345699'))
})

t.test('every invalid field is named', async (t) => {
  const reply = await say('555', ' ', { from: '!!', provider_id: 'x', client_reference: '', sensitive: 1 })
  t.equal(reply.status, 400)
  t.strictSame(fieldsOf(reply), [
    'body.client_reference',
    'body.from',
    'body.provider_id',
    'body.sensitive',
    'body.text',
    'body.to',
  ])
})
