import '../support/work-environment.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { intakeStack, openssl, seconds } from './stack.ts'

t.setTimeout(240_000)
const { add, ask, db, post, list, ingress, orgId, settled, startWorkers } = await intakeStack(t)

const secret = 'secret-of-the-source'
const form = { provider: 'hmac', secret, hmac: { header: 'x-sig', event_id_path: 'id' } }
const source = (name: string, more: object = {}) => add({ name, ...form, ...more })
const signed = (body: string | Uint8Array) => ({ 'x-sig': openssl('sha256', secret, body) })
const send = (to: { url: string }, value: unknown, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(value)
  return post(to, body, { ...signed(body), ...headers })
}

t.test('a body of 1 MiB is stored exactly, and a larger one is rejected', async (t) => {
  const to = await source('large')
  const bytes = Buffer.alloc(1024 * 1024, 'x')
  const reply = await post(to, bytes, signed(bytes))
  t.equal(reply.status, 200, reply.text)
  t.equal((await ask(`GET /v1/intake/requests/${reply.body.id}`)).body.size, bytes.length)
  const more = Buffer.alloc(bytes.length + 1, 'x')
  t.equal((await post(to, more, signed(more))).status, 413)
  const { hostname, port } = new URL(ingress.url)
  const socket = connect(Number(port), hostname)
  const head = `POST ${new URL(to.url).pathname} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`
  socket.write(`${head}100001\r\n`)
  socket.write(more)
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /^HTTP\/1.1 413/)
  socket.destroy()
  const empty = await post(to, '', signed(''))
  t.equal(empty.status, 200, 'an empty body can be signed')
})

t.test('a sender that is too slow is answered with 408', async (t) => {
  const to = await source('slow')
  const { hostname, port } = new URL(ingress.url)
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${new URL(to.url).pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`)
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /^HTTP\/1.1 408/)
  await once(socket, 'close')
})

t.test('credentials are not stored, and secrets are not shown', async (t) => {
  const to = await source('headers')
  const { body } = await send(
    to,
    { id: 'h' },
    { authorization: 'Bearer theirs', cookie: 'c=1', 'x-api-key': 'k', 'x-a': 'b' },
  )
  const { body: read, text } = await ask(`GET /v1/intake/requests/${body.id}`)
  t.match(read.headers, { 'x-a': 'b', 'content-type': 'application/json' })
  for (const name of ['authorization', 'cookie', 'x-api-key', 'host', 'connection']) t.notOk(name in read.headers, name)
  t.notMatch(text, 'Bearer theirs')
  t.notMatch((await ask(`GET /v1/intake/sources/${to.id}`)).text, secret)
})

t.test('of requests with an invalid signature, only a sample is stored', async (t) => {
  const to = await source('attacked')
  for (let i = 0; i < 130; i++) t.equal((await post(to, `${'z'.repeat(20_000)}${i}`, { 'x-sig': 'ab' })).status, 401)
  const found = await list(`&source_id=${to.id}`)
  t.ok(found.length > 0 && found.length <= 100, `${found.length} are stored`)
  const { body } = await ask(`GET /v1/intake/requests/${found[0].id}`)
  t.match(body, { verified: false, reason: 'signature_wrong', is_complete: false, status: 'rejected' })
  t.equal(body.body.length, 16_384)
  t.equal((await ask(`POST /v1/intake/requests/${body.id}/replay`)).status, 409)
  const all = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from intake.requests where source_id = ${to.id}`)
  t.ok(all <= 100)
})

t.test('the response is as the source says, and Slack’s check of the URL is answered', async (t) => {
  const to = await source('answer', { response: { status: 202, body: '<b>ok</b>' } })
  const reply = await send(to, { id: 1 })
  t.match(reply, { status: 202, text: '<b>ok</b>' })
  t.match(reply.headers.get('content-type'), /^text\/plain/)
  t.equal(reply.headers.get('x-content-type-options'), 'nosniff')
  const none = await source('no body', { response: { status: 204 } })
  t.match(await send(none, { id: 1 }), { status: 204, text: '' })
  const slack = await add({ name: 'Slack', provider: 'slack', secret: 'slack-signing-secret' })
  const body = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1a' })
  const time = seconds()
  const headers = {
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${openssl('sha256', 'slack-signing-secret', `v0:${time}:${body}`)}`,
  }
  t.match(await post(slack, body, headers), { status: 200, text: '3eZbrw1a' })
  t.equal((await post(slack, body)).status, 401)
  t.equal((await list(`&source_id=${slack.id}&verified=true`)).length, 0)
})

t.test('a source without a secret rejects requests until it has one; a replaced URL works for some time', async (t) => {
  const to = await add({ name: 'Stripe', provider: 'stripe' })
  t.equal(to.has_secret, false)
  const body = '{"id":"evt_1"}'
  const stripe = () => {
    const at = seconds()
    return { 'stripe-signature': `t=${at},v1=${openssl('sha256', 'whsec_later', `${at}.${body}`)}` }
  }
  t.equal((await post(to, body, stripe())).status, 401)
  t.match(await list(`&source_id=${to.id}`), [{ reason: 'secret_missing' }])
  t.equal((await ask(`POST /v1/intake/sources/${to.id}/secret`, { body: {} })).status, 400)
  t.equal((await ask(`POST /v1/intake/sources/${to.id}/secret`, { body: { secret: 'whsec_later' } })).status, 200)
  t.equal((await post(to, body, stripe())).status, 200)
  const moved = (await ask(`POST /v1/intake/sources/${to.id}/url`, { body: {} })).body
  t.not(moved.url, to.url)
  t.equal((await post(to, body, stripe())).status, 200, 'the previous URL')
  t.equal((await post(moved, body, stripe())).status, 200)
  const again = (await ask(`POST /v1/intake/sources/${to.id}/url`, { body: { keep_hours: 0 } })).body
  t.equal((await post(moved, body, stripe())).status, 404)
  t.equal((await post(again, body, stripe())).status, 200)
})

t.test('created secrets are returned once; a deleted source is a 404', async (t) => {
  const to = await add({ name: 'GitHub', provider: 'github' })
  t.match(to.secret, /^[0-9A-Za-z]{43}$/)
  const body = '{}'
  const headers = { 'x-hub-signature-256': `sha256=${openssl('sha256', to.secret, body)}` }
  t.equal((await post(to, body, headers)).status, 200)
  t.equal((await ask(`DELETE /v1/intake/sources/${to.id}`)).status, 200)
  t.equal((await post(to, body, headers)).status, 404)
})

t.test('without dedupe, each request is stored', async (t) => {
  const to = await source('all', { dedupe: false })
  for (let i = 0; i < 3; i++) await send(to, { id: 'same' })
  t.equal((await list(`&source_id=${to.id}&event_id=same`)).length, 3)
})

t.test('identical requests at the same time are stored once', async (t) => {
  const to = await source('race')
  const replies = await Promise.all(Array.from({ length: 40 }, () => send(to, { id: 'one' })))
  t.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  t.match(await list(`&source_id=${to.id}`), [{ duplicates: 39 }])
})

t.test('JSON with characters that cannot be stored, or that is too deep, is accepted', async (t) => {
  const to = await source('odd')
  const bodies = [
    '{"id":"a\\u0000b"}',
    '{"id":"\\ud800"}',
    '['.repeat(5_000),
    '{"id":{"a":1}}',
    'null',
    '\ufeff{}',
    '{"__proto__":{"id":1}}',
  ]
  for (const body of bodies) t.equal((await post(to, body, signed(body))).status, 200, body.slice(0, 30))
})

t.test('requests that exceed the waiting jobs of the plan are held, and forwarded later', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into account.plans select (jsonb_populate_record(p, '{"name": "tiny", "waiting_jobs": 2}')).*
    from account.plans as p where name = 'unlimited'`)
  await db.query(sql.typeAlias('void')`update account.orgs set plan = 'tiny' where id = ${orgId}`)
  const to = await source('busy', { forward: { url: 'http://127.0.0.1:9/' } })
  const replies = []
  for (let i = 0; i < 6; i++) replies.push(await send(to, { id: `b${i}` }))
  t.ok(replies.every(({ status }) => status === 200))
  t.ok((await list(`&source_id=${to.id}&status=held`)).length > 0)
  await db.query(sql.typeAlias('void')`update account.orgs set plan = 'unlimited' where id = ${orgId}`)
  await startWorkers()
  for (const { body } of replies) await settled(body.id, ({ status }) => status === 'forwarded')
})

t.test('a closed organisation receives nothing', async (t) => {
  const to = await source('closed')
  t.equal((await send(to, { id: 1 })).status, 200)
  await db.query(sql.typeAlias('void')`
    insert into account.closures (id, org_id, state, requested_by_kind, due_at)
    values (gen_random_uuid(), ${orgId}, 'waiting', 'operator', now() + interval '1 day')`)
  t.equal((await send(to, { id: 2 })).status, 404)
})

t.test('an unknown URL is a 404, and too many of them are limited', async (t) => {
  const at = (token: string) => ingress.ask(`POST /in/${token}`, { raw: '{}' })
  t.equal((await at('x')).status, 404)
  const replies = await Promise.all(Array.from({ length: 140 }, (_, i) => at(`${'a'.repeat(41)}${100 + i}`)))
  t.ok(replies.every(({ status }) => status === 404 || status === 429))
  const limited = await at('b'.repeat(43))
  t.equal(limited.status, 429)
  t.ok(limited.headers.get('retry-after'))
})
