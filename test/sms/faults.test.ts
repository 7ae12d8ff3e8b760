import t from 'tap'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { deliver } from '#tasks/sms/deliver.ts'
import { forgetSecrets } from '#tasks/sms/forget-secrets.ts'
import { keepCallbackSecret } from '#tasks/sms/rules/own-provider.ts'
import { until } from '../support/until.ts'
import { hangUp, reply, silence, twilioError } from './provider-server.ts'
import { gatewayFor, signTwilioRequest, smsStack } from './stack.ts'

t.setTimeout(240_000)
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

t.test('a removed connection accepts signed callbacks for 7 days, and sends nothing', async (t) => {
  const token = 'auth-token-of-a-removed-connection'
  const made = await stack.connect({
    kind: 'twilio',
    from: '+3725550110',
    per_second: 1_000,
    twilio: { account_sid: `AC${'4'.repeat(32)}`, auth_token: token },
  })
  const id = made.body.id as string
  const [first, second] = [
    await say(person(), 'Hello', { provider_id: id }),
    await say(person(), 'Hello', { provider_id: id }),
  ]
  const sids = [await settled(first.body.id, 'sent'), await settled(second.body.id, 'sent')]
  const planned = () =>
    db.oneFirst(sql.typeAlias('count')`
      select count(*) from jobs_sms.jobs
      where task_identifier = 'sms/forget-secrets' and run_at between now() + interval '7 days' and now() + interval '8 days'`)
  const before = await planned()
  t.equal((await ask(`DELETE /v1/sms/providers/${id}`)).status, 200)
  t.equal((await ask(`GET /v1/sms/providers/${id}`)).status, 404)
  t.equal((await say(person(), 'Hello', { provider_id: id })).status, 400)
  const report = async (index: number, by = token) => {
    const path = `/v1/sms/callbacks/${id}/status?message=${sids[index].id}`
    const form = { MessageSid: sids[index].provider_message_id, MessageStatus: 'delivered' }
    return (await callback(path, form, signTwilioRequest(stack.ingress.url + path, form, by))).status
  }
  t.equal(await report(0, 'another token'), 401)
  t.equal(await report(0), 200)
  t.match((await read(first.body.id)).body, { status: 'delivered' })
  const leaver = person()
  const path = `/v1/sms/callbacks/${id}/inbound`
  const form = { MessageSid: 'SM-late-stop', From: leaver, To: '+3725550110', Body: 'STOP' }
  t.equal((await callback(path, form, signTwilioRequest(stack.ingress.url + path, form, token))).status, 200)
  t.match(await say(leaver), { body: { error: { code: 'recipient_opted_out' } } }, 'a late STOP counts')

  const secrets = () => db.oneFirst(sql.unsafe`select secrets from sms.providers where id = ${id}`)
  const forget = () => forgetSecrets.run({ providerId: id }, { db } as never)
  await forget()
  t.not(await secrets(), '', 'the secret is kept for 7 days')
  await db.query(sql.unsafe`update sms.providers set removed_at = now() - interval '7 days' where id = ${id}`)
  t.equal(await report(1), 404)
  await forget()
  t.equal(await secrets(), '')
  t.equal((await read(second.body.id)).body.status, 'sent')
  t.equal(await planned(), before + 1, 'a job deletes the secret')
})

t.test('only the secret that signs callbacks outlives a connection', (t) => {
  for (const [kind, secrets, kept] of [
    ['twilio', { auth_token: 'a' }, { auth_token: 'a' }],
    ['vonage', { api_secret: 'a', private_key: 'b', signature_secret: 'c' }, { signature_secret: 'c' }],
    ['http', { headers: { authorization: 'a' }, callback_secret: 'b' }, { headers: {}, callback_secret: 'b' }],
    ['http', { headers: { authorization: 'a' } }, { headers: {} }],
  ] as const)
    t.strictSame(keepCallbackSecret(kind, secrets), kept, kind)
  t.end()
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
