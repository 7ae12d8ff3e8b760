import { createHmac, generateKeyPairSync, verify } from 'node:crypto'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { reply } from './provider-server.ts'
import { sender, smsStack, vonageToken } from './stack.ts'

t.setTimeout(240_000)
const stack = await smsStack(t)
const { server, say, read, connect, ingress, db } = stack
await stack.startWorkers()

let numbers = 55_800_000
const person = () => `+372${numbers++}`
const settled = (id: string, ...statuses: string[]) =>
  until(async () => {
    const { body } = await read(id)
    return statuses.includes(body.status) && body
  })

t.test('Vonage: requests have a token of the application, callbacks a token of the account', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const secret = 'signature-secret-of-the-tests'
  const application_id = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
  const vonage = { api_key: 'abc123', application_id, private_key, signature_secret: secret }
  const { body: made, status } = await connect({ kind: 'vonage', from: 'Shop', vonage })
  t.equal(status, 201)
  t.notMatch(JSON.stringify(made), 'PRIVATE KEY')
  await stack.ask('PUT /v1/sms/settings', { body: { countries: ['EE'] } })
  const to = person()
  const { body } = await say(to, 'Grüße я', { provider_id: made.id })
  const sent = await settled(body.id, 'sent')
  const request = server.received.find(({ json }) => json?.to === to.slice(1))
  t.match(request?.json, { channel: 'sms', message_type: 'text', from: 'Shop', text: 'Grüße я', client_ref: body.id })
  t.equal(request?.json.sms.encoding_type, 'unicode')
  const [head = '', claims = '', signature = ''] = (request?.authorization ?? '').replace('Bearer ', '').split('.')
  t.ok(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), { application_id })
  const report = (status: string, more: object = {}) =>
    JSON.stringify({ message_uuid: sent.provider_message_id, status, channel: 'sms', ...more })
  const post = (raw: string, authorization: string, what = 'status') =>
    ingress.ask(`POST /v1/sms/callbacks/${made.id}/${what}`, {
      raw,
      headers: { 'content-type': 'application/json', authorization },
    })
  const raw = report('undeliverable', { error: { type: 'https://developer.vonage.com/api-errors/messages#1240' } })
  t.equal((await post(raw, vonageToken(raw, 'another'))).status, 401)
  t.equal((await post(raw, vonageToken(`${raw} `, secret))).status, 401, 'the token is of another body')
  t.equal((await post(raw, vonageToken(raw, secret, { iat: Date.now() / 1_000 - 3_600 }))).status, 401)
  const none = vonageToken(raw, secret).replace(
    /Bearer [^.]+/,
    `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}`,
  )
  t.equal((await post(raw, none)).status, 401)
  t.equal((await read(body.id)).body.status, 'sent')
  t.equal((await post(raw, vonageToken(raw, secret))).status, 200)
  t.match((await read(body.id)).body, {
    status: 'undelivered',
    error: { code: 'invalid_recipient', provider_code: '1240' },
  })
  const text = JSON.stringify({
    message_uuid: 'in-1',
    from: to.slice(1),
    to: '3725550100',
    text: 'STOP',
    channel: 'sms',
  })
  t.equal((await post(text, vonageToken(text, secret), 'inbound')).status, 200)
  t.match(await say(to, 'Hi', { provider_id: made.id }), { body: { error: { code: 'recipient_opted_out' } } })
  server.next.push(reply(422, { type: 'https://developer.vonage.com/api-errors/messages#1120', title: 'secret words' }))
  const refused = await say(person(), 'Hi', { provider_id: made.id })
  t.match((await settled(refused.body.id, 'failed')).error, { code: 'sender_refused', provider_code: '1120' })
})

t.test('an HTTP API: the body is filled without injection, and signed callbacks are read by their paths', async (t) => {
  const http = {
    url: 'https://sms.example.com/send',
    headers: { authorization: 'Bearer abc', 'X-Tenant': 'one' },
    body: { messages: [{ to: '{{to}}', text: 'Shop: {{text}}', ref: '{{id}}' }], from: '{{from}}', flash: false },
    id_path: 'messages.0.id',
    callback: {
      secret: 'callback-secret',
      signature_header: 'X-Hub-Signature',
      id_path: 'report.id',
      status_path: 'report.state',
      error_path: 'report.code',
      statuses: { DELIVRD: 'delivered', UNDELIV: 'undelivered' },
      from_path: 'sms.from',
      text_path: 'sms.text',
    },
  }
  const { body: made } = await connect({ kind: 'http', from: sender, http })
  t.notMatch(JSON.stringify(made), /Bearer abc|callback-secret/)
  t.match(made.settings, { url: http.url, id_path: 'messages.0.id' })
  // The test server is on this machine, which only the configuration of an operator can allow.
  await db.query(sql.unsafe`
    update sms.providers set settings = settings || ${sql.jsonb({ url: `${server.url}/send` })} where id = ${made.id}`)
  const to = person()
  const said = '"}], {{to}} \\ \n {{callback_url}}'
  const { body } = await say(to, said, { provider_id: made.id })
  const sent = await settled(body.id, 'sent')
  const request = server.received.find(({ path }) => path === '/send')
  t.same(request?.json, { messages: [{ to, text: `Shop: ${said}`, ref: body.id }], from: sender, flash: false })
  t.match(request?.headers, { authorization: 'Bearer abc', 'x-tenant': 'one' })
  t.match(sent.provider_message_id, /^http-/)
  const post = (raw: string, secret = 'callback-secret', what = 'status') =>
    ingress.ask(`POST /v1/sms/callbacks/${made.id}/${what}`, {
      raw,
      headers: { 'x-hub-signature': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}` },
    })
  const report = JSON.stringify({ report: { id: sent.provider_message_id, state: 'UNDELIV', code: 7 } })
  t.equal((await post(report, 'another')).status, 401)
  t.equal((await post(report)).status, 200)
  t.match((await read(body.id)).body, { status: 'undelivered', error: { code: 'not_delivered', provider_code: '7' } })
  for (const raw of ['', '[]', 'null', '{"report":null}', '{"report":{"state":{}}}', '{"__proto__":{}}'])
    t.equal((await post(raw)).status, 200, raw)
  const inbound = JSON.stringify({ sms: { from: to.slice(1), text: 'Hello' } })
  t.equal((await post(inbound, 'callback-secret', 'inbound')).status, 200)
  t.match((await stack.ask('GET /v1/sms/messages?direction=inbound')).body.data[0], { from: to, text: 'Hello' })
})

t.test('an HTTP API that gives an ID twice: messages are sent, and STOP is obeyed', async (t) => {
  const callback = { secret: 'callback-secret', id_path: 'id', from_path: 'from', text_path: 'text' }
  const http = {
    ...{ url: 'https://sms.example.com/send', body: { to: '{{to}}', text: '{{text}}' }, id_path: 'id', callback },
  }
  const { body: made } = await connect({ kind: 'http', from: sender, http })
  await db.query(sql.unsafe`
    update sms.providers set settings = settings || ${sql.jsonb({ url: `${server.url}/twice` })} where id = ${made.id}`)
  const to = person()
  for (const stored of ['same', null]) {
    server.next.push(reply(200, { id: 'same' }))
    const { body } = await say(to, 'Hello', { provider_id: made.id })
    t.match(await settled(body.id, 'sent', 'unknown', 'failed'), { status: 'sent', provider_message_id: stored })
  }
  const raw = JSON.stringify({ id: 'same', from: to, text: 'STOP' })
  const signature = createHmac('sha256', 'callback-secret').update(raw).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-signature': signature }
  t.equal((await ingress.ask(`POST /v1/sms/callbacks/${made.id}/inbound`, { raw, headers })).status, 200)
  t.match(await say(to), { status: 400, body: { error: { code: 'recipient_opted_out' } } })
})

t.test('secrets are replaced with all settings of the kind, and the next message uses them', async (t) => {
  const account_sid = `AC${'9'.repeat(32)}`
  const changed = await stack.ask(`PATCH /v1/sms/providers/${stack.providerId}`, {
    body: { from: '+3725550111', twilio: { account_sid, auth_token: 'new-token' } },
  })
  t.match(changed, { status: 200, body: { from: '+3725550111', settings: { account_sid } } })
  const { body } = await say(person())
  await settled(body.id, 'sent')
  t.match(server.received.at(-1)?.path, account_sid)
})
