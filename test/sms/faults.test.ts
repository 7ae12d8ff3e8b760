import t from 'tap'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { deliver } from '#tasks/sms/deliver.ts'
import { until } from '../support/until.ts'
import { hangUp, reply, silence, twilioError } from './provider-server.ts'
import { gatewayFor, smsStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await smsStack(t)
const { db, server, say, read, tell, ask, callback, providerId } = stack
await stack.startWorkers(gatewayFor(t, server.url, 700))

let numbers = 55_600_000
const person = () => `+372${numbers++}`
const settled = (id: string, ...statuses: string[]) =>
  until(async () => {
    const { body } = await read(id)
    return statuses.includes(body.status) && body
  })
const requestsTo = (to: string) => server.received.filter(({ form }) => form.get('To') === to)

t.test('a message whose outcome is unclear is sent only once, and a late status settles it', async (t) => {
  for (const [name, answer] of [
    ['no response', silence],
    ['a closed connection', hangUp],
    ['a response of a gateway', reply(502, '<html>')],
    ['a response without an ID', reply(201, { hello: 1 })],
    ['a response that is not JSON', reply(201, '<html>'.repeat(100_000))],
  ] as const) {
    const to = person()
    server.next.push(answer)
    const { body } = await say(to)
    const unclear = await settled(body.id, 'unknown', 'failed', 'sent')
    t.match(unclear, { status: 'unknown', error: { code: 'no_response', retryable: false } }, name)
    t.equal((await tell(body.id, `SM-late-${to}`, 'delivered')).status, 200)
    const late = (await read(body.id)).body
    t.match(late, { status: 'delivered', error: null, provider_message_id: `SM-late-${to}` }, name)
    t.equal(requestsTo(to).length, 1, name)
  }
})

t.test('429 and 503 are repeated with the delay of the provider', async (t) => {
  const to = person()
  server.next.push(reply(429, { code: 20_429 }, { 'retry-after': '1' }), reply(503, {}))
  const { body } = await say(to)
  await settled(body.id, 'sent')
  t.equal(requestsTo(to).length, 3)
})

t.test('a provider that cannot be reached is tried again', async (t) => {
  const closed = 'http://127.0.0.1:9'
  const made = await stack.connect({
    kind: 'http',
    from: '+3725550100',
    http: { url: 'https://sms.example.com/send', body: { to: '{{to}}', text: '{{text}}' } },
  })
  await db.query(sql.unsafe`
    update sms.providers set settings = settings || ${sql.jsonb({ url: closed })} where id = ${made.body.id}`)
  const { body } = await say(person(), 'Hello', { provider_id: made.body.id })
  const tries = () => db.oneFirst(sql.unsafe`select tries from sms.messages where id = ${body.id}`)
  await until(async () => Number(await tries()) >= 2)
  t.equal((await read(body.id)).body.status, 'queued')
  await ask(`DELETE /v1/sms/providers/${made.body.id}`)
  t.match((await settled(body.id, 'failed')).error, { code: 'provider_removed' })
})

t.test('a worker that ended while it was sending leaves the message unclear, and does not send it again', async (t) => {
  const to = person()
  server.next.push(silence)
  const { body } = await say(to)
  await until(() => requestsTo(to).length === 1)
  await db.query(sql.unsafe`update sms.messages set status = 'sending' where id = ${body.id}`)
  await enqueue(db, deliver, { messageId: body.id })
  t.match((await settled(body.id, 'unknown')).error, { code: 'no_response' })
  t.equal(requestsTo(to).length, 1)
})

t.test('callbacks that are forged, altered, of another connection or unknown change nothing', async (t) => {
  const { body } = await say(person())
  const sent = await settled(body.id, 'sent')
  const sid = sent.provider_message_id
  const path = `/v1/sms/callbacks/${providerId}/status?message=${body.id}`
  const form = { MessageSid: sid, MessageStatus: 'delivered' }
  t.equal((await callback(path, form, 'AAAA')).status, 401)
  t.equal((await callback(path, form, '')).status, 401)
  const other = await stack.connect({
    kind: 'twilio',
    from: '+3725550109',
    twilio: { account_sid: `AC${'2'.repeat(32)}`, auth_token: 'auth-token-of-the-tests' },
  })
  const foreign = `/v1/sms/callbacks/${other.body.id}/status?message=${body.id}`
  t.equal((await callback(foreign, form)).status, 200)
  t.equal((await read(body.id)).body.status, 'sent', 'a connection cannot report messages of another one')
  t.equal((await callback(path, { ...form, MessageStatus: 'invented' })).status, 200)
  t.equal((await callback(path, { hello: 'world' })).status, 200)
  t.equal((await callback(`/v1/sms/callbacks/${body.id}/status`, form)).status, 404)
  t.equal((await callback('/v1/sms/callbacks/x/status', form)).status, 404)
  const large = { MessageSid: 'x'.repeat(70_000), MessageStatus: 'sent' }
  t.equal((await callback(path, large)).status, 413)
  t.equal((await read(body.id)).body.status, 'sent')
  t.equal((await tell(body.id, sid, 'undelivered', '30003')).status, 200)
  t.match((await read(body.id)).body, { status: 'undelivered', error: { code: 'recipient_unreachable' } })
  t.equal((await tell(body.id, sid, 'delivered')).status, 200)
  t.match((await read(body.id)).body, { status: 'delivered', error: null }, 'a delivery ranks above a failure')
})

t.test('a revoked key, a new opt-out and new countries apply to pending messages', async (t) => {
  const paced = await stack.connect({
    kind: 'twilio',
    from: '+3725550108',
    per_second: 1,
    twilio: { account_sid: `AC${'3'.repeat(32)}`, auth_token: 'auth-token-of-the-tests' },
  })
  const more = { provider_id: paced.body.id }
  const [first, second] = [person(), person()]
  const ids: string[] = []
  for (const to of [person(), first, second]) ids.push((await say(to, 'Hello', more)).body.id)
  await ask('POST /v1/sms/opt-outs', { body: { phone: second } })
  t.match((await settled(ids[2] as string, 'failed')).error, { code: 'recipient_opted_out' })
  t.equal(requestsTo(second).length, 0)
  await settled(ids[1] as string, 'sent')
  const others = [await say(person(), 'Hello', more), await say(person(), 'Hello', more)]
  await ask('PUT /v1/sms/settings', { body: { countries: ['FI'] } })
  t.match((await settled(others[1]?.body.id, 'failed')).error, { code: 'country_not_allowed' })
  await ask('PUT /v1/sms/settings', { body: {} })
  const waiting = [
    await say(person(), 'Hello', more),
    await say(person(), 'Hello', more),
    await say(person(), 'Hello', more),
  ]
  await db.query(sql.unsafe`update account.keys set revoked_at = now() where org_id = ${stack.orgId} and mode = 'live'`)
  const errorOf = () =>
    db.maybeOneFirst(sql.unsafe`
    select error ->> 'code' from sms.messages where id = ${waiting[2]?.body.id} and status = 'failed'`)
  t.equal(await until(errorOf), 'key_revoked')
  await db.query(sql.unsafe`update account.keys set revoked_at = null where org_id = ${stack.orgId}`)
})

t.test('a message with a secret is never shown, and deleted after delivery', async (t) => {
  const to = person()
  const { body } = await say(to, 'Code 424242', { sensitive: true })
  t.match(body, { text: null, sensitive: true })
  await settled(body.id, 'sent')
  t.equal(requestsTo(to)[0]?.form.get('Body'), 'Code 424242')
  t.equal(await db.oneFirst(sql.unsafe`select text from sms.messages where id = ${body.id}`), '')
  server.next.push(twilioError(20_003, 401))
  const failed = await say(person(), 'Hello')
  t.match((await settled(failed.body.id, 'failed')).error, { code: 'credentials_refused', provider_code: '20003' })
})
