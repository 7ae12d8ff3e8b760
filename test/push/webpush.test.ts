import { randomBytes, randomUUID } from 'node:crypto'
import ece from 'http_ece'
import { type Test, test } from 'tap'
import type { Push, PushCredential, PushResult } from '#tasks/push/engine.ts'
import { createPushEngine } from '../../workers/push/engine.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { readJwt } from '../support/push-servers/jwt.ts'
import { type Subscription, startWebPush, type WebPushAnswer } from '../support/push-servers/web-push.ts'

const signal = new AbortController().signal

const pushTo = ({ endpoint, keys }: Pick<Subscription, 'endpoint' | 'keys'>, facts: Partial<Push> = {}): Push => ({
  id: randomUUID(),
  token: endpoint,
  keys,
  payload: { title: 'Hello' },
  ttl: 60,
  priority: 'normal',
  ...facts,
})

async function setUp(t: Test, timeoutMs?: number) {
  const certificate = await makeCertificate(t)
  const service = await startWebPush(t, certificate)
  const servers = serversOf({}, certificate.cert, timeoutMs)
  const engine = createPushEngine(servers)
  t.teardown(() => engine.close())
  const credential: PushCredential = {
    id: randomUUID(),
    provider: 'webpush',
    environment: 'production',
    ...service.credential,
  }
  const sendAll = (pushes: readonly Push[]) => engine.send(credential, pushes, signal)
  const send = async (push: Push) => (await sendAll([push]))[0] as PushResult
  return { service, servers, engine, credential, send, sendAll }
}

const cases: [WebPushAnswer, Partial<PushResult>][] = [
  ...[200, 201, 202, 204].map((status): [WebPushAnswer, Partial<PushResult>] => [
    { status },
    { outcome: 'sent', status },
  ]),
  [{ status: 404 }, { outcome: 'invalid_token', status: 404, reason: 'not_found' }],
  [
    { status: 410, body: 'gone' },
    { outcome: 'invalid_token', status: 410, reason: 'gone' },
  ],
  [
    { status: 400, body: '{"errno":110}' },
    { outcome: 'rejected', reason: 'bad_request', error: '{"errno":110}' },
  ],
  [
    { status: 401, body: '{"errno":109}' },
    { outcome: 'rejected', reason: 'vapid_mismatch' },
  ],
  [
    { status: 403, body: 'BadJwtToken' },
    { outcome: 'rejected', reason: 'vapid_mismatch', error: 'BadJwtToken' },
  ],
  [{ status: 413 }, { outcome: 'rejected', reason: 'payload_too_large' }],
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { outcome: 'retry', status: 429, retryAfter: 7 },
  ],
  [{ status: 429 }, { outcome: 'retry', retryAfter: 60 }],
  [
    { status: 429, headers: { 'retry-after': '99999999999' } },
    { outcome: 'retry', retryAfter: 86_400 },
  ],
  [
    { status: 503, headers: { 'retry-after': '120' } },
    { outcome: 'retry', status: 503, retryAfter: 120 },
  ],
  [
    { status: 500, body: 'x'.repeat(3_000_000) },
    { outcome: 'retry', status: 500, error: 'x'.repeat(300) },
  ],
  [{ status: 502 }, { outcome: 'retry', reason: 'service_failed' }],
  [
    { status: 307, headers: { location: 'https://127.0.0.1/' } },
    { outcome: 'rejected', reason: 'HTTP_307' },
  ],
  [
    { status: 418, body: 'a\u0000\n\u001b[31mb' },
    { outcome: 'rejected', error: 'a [31mb' },
  ],
  ['close', { outcome: 'unknown', reason: 'connection_lost' }],
]

test('each answer of a push service has the outcome that its table says, and is asked for once', async (t) => {
  const { service, send } = await setUp(t)
  for (const [answer, expected] of cases) {
    const subscription = service.subscribe()
    service.script.set(subscription.name, answer)
    t.match(await send(pushTo(subscription)), expected, JSON.stringify(answer).slice(0, 100))
    t.equal(service.received.filter(({ name }) => name === subscription.name).length, 1)
  }
})

test('a browser reads what was sent; its service knows who sent it', async (t) => {
  const { service, send, credential } = await setUp(t)
  const subscription = service.subscribe()
  const payload = { title: 'Grüße ✓', data: { order: 7 } }
  const result = await send(pushTo(subscription, { payload, priority: 'high', collapseKey: 'order-7' }))
  t.match(result, { outcome: 'sent', status: 201, providerId: /\/message\// })
  const [request] = service.received
  t.same(JSON.parse(request?.text ?? ''), payload, 'by node:crypto')
  const { pair: privateKey, secret: authSecret } = subscription
  const plain = ece.decrypt(request?.body, {
    version: 'aes128gcm',
    privateKey,
    authSecret: authSecret.toString('base64url'),
  })
  t.same(JSON.parse(plain.toString('utf8')), payload, 'by http_ece')
  t.match(request?.headers, { ttl: '60', urgency: 'high', topic: 'order-7', 'content-encoding': 'aes128gcm' })
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(request?.headers.authorization ?? '') ?? []
  t.equal(key, credential.facts.public_key)
  t.match(readJwt(token), { header: { alg: 'ES256' }, claims: { aud: service.url, sub: 'mailto:ops@example.com' } })

  await send(pushTo(subscription, { ttl: 9_999_999, collapseKey: 'no topic: much too long, and not of base64url' }))
  t.match(service.received.at(-1)?.headers, { ttl: '2419200', topic: /^[\w-]{32}$/ })
})

test('many go over few connections, each encrypted for itself and signed once', async (t) => {
  const { service, sendAll } = await setUp(t)
  const pushes = Array.from({ length: 150 }, () => pushTo(service.subscribe()))
  const results = await sendAll(pushes)
  t.ok(results.every(({ outcome }) => outcome === 'sent'))
  t.ok(service.connections() <= 128, `${service.connections()} connections`)
  t.equal(new Set(service.received.map(({ headers }) => headers.authorization)).size, 1)
  t.equal(new Set(service.received.map(({ body }) => body.subarray(21, 86).toString('hex'))).size, 150)
})

test('a payload has room to the byte, and no more', async (t) => {
  const { service, send } = await setUp(t)
  const subscription = service.subscribe()
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - JSON.stringify({ a: '' }).length) })
  t.match(await send(pushTo(subscription, { payload: ofBytes(3_993) })), { outcome: 'sent' })
  t.equal(service.received[0]?.body.length, 4_096)
  const tooLong = await send(pushTo(subscription, { payload: ofBytes(3_994) }))
  t.match(tooLong, {
    outcome: 'rejected',
    reason: 'payload_too_large',
    error: 'The payload has 3994 bytes, but the limit is 3993.',
  })
  t.equal(service.received.length, 1)
})

test('endpoints are reached as a customer’s address is', async (t) => {
  const { service, send, servers, credential } = await setUp(t)
  const guarded = createPushEngine({ ...servers, allowed: [] })
  t.teardown(() => guarded.close())
  const subscription = service.subscribe()
  const hostile = [subscription.endpoint, 'https://localhost/push', 'https://[::1]/', 'https://169.254.169.254/latest']
  for (const endpoint of hostile) {
    const [result] = await guarded.send(credential, [pushTo({ ...subscription, endpoint })], signal)
    t.match(result, { outcome: 'rejected', reason: 'address_refused' }, endpoint)
  }
  for (const endpoint of [subscription.endpoint.replace('https', 'http'), 'no url', 'https://user:pw@127.0.0.1/']) {
    t.match(
      await send(pushTo({ ...subscription, endpoint })),
      { outcome: 'rejected', reason: 'bad_endpoint' },
      endpoint,
    )
  }
  const nowhere = await send(pushTo({ ...subscription, endpoint: 'https://127.0.0.1:9/' }))
  t.match(nowhere, { outcome: 'retry', reason: 'connection_failed' })
  const [untrusted] = await createPushEngine({ ...servers, secureContext: undefined }).send(
    credential,
    [pushTo(subscription)],
    signal,
  )
  t.match(untrusted, { outcome: 'retry', reason: 'connection_failed' })
  t.equal(service.received.length, 0)
})

test('a service that never answers holds up none but itself', async (t) => {
  const { service, sendAll } = await setUp(t, 700)
  const slow = Array.from({ length: 64 }, () => service.subscribe())
  for (const { name } of slow) service.script.set(name, 'silence')
  const elsewhere = { ...service.subscribe(), endpoint: 'https://127.0.0.1:9/' }
  const results = await sendAll([...slow.map((each) => pushTo(each)), pushTo(elsewhere)])
  t.match(results[0], { outcome: 'unknown', reason: 'timeout' })
  t.match(results.at(-1), { outcome: 'retry', reason: 'connection_failed' })
  t.ok((results.at(-1)?.latencyMs ?? 0) < 700)
})

test('a key is checked, and never quoted', async (t) => {
  const { service, engine, credential, send } = await setUp(t)
  t.equal(await engine.check(credential, signal), undefined)
  const stranger = await setUp(t)
  const wrong = { ...credential, secret: stranger.credential.secret }
  t.equal(await engine.check(wrong, signal), 'public_key does not belong to the VAPID key.')
  t.match(await engine.send(wrong, [pushTo(service.subscribe())], signal), [
    { outcome: 'credential', reason: 'bad_credential' },
  ])
  const other = { ...credential, ...stranger.service.credential }
  t.match(await engine.send(other, [pushTo(service.subscribe())], signal), [
    { outcome: 'rejected', status: 403, reason: 'vapid_mismatch' },
  ])
  t.match(await engine.check({ ...credential, secret: 'rubbish' }, signal), /must be a P-256 private key/)
  const facts = { ...credential.facts, subject: 'nobody' }
  t.match(await engine.check({ ...credential, facts }, signal), /subject/i)
  const keys = { p256dh: randomBytes(65).toString('base64url'), auth: 'short' }
  t.match(await send(pushTo({ ...service.subscribe(), keys })), {
    outcome: 'rejected',
    reason: 'bad_subscription_keys',
  })
})

test('a service that never answers is left alone after a few time-outs, for whoever asked it', async (t) => {
  const { service, engine, credential, send } = await setUp(t, 200)
  const silent = Array.from({ length: 6 }, () => service.subscribe())
  for (const { name } of silent) service.script.set(name, 'silence')
  for (const one of silent.slice(0, 5)) t.match(await send(pushTo(one)), { outcome: 'unknown', reason: 'timeout' })
  const before = service.received.length
  const [last = silent[0] as Subscription] = silent.slice(5)
  t.match(await send(pushTo(last)), { outcome: 'retry', reason: 'server_silent', retryAfter: Number })
  t.equal(service.received.length, before, 'it was not asked')
  const other = { ...credential, id: randomUUID() }
  t.match(await engine.send(other, [pushTo(service.subscribe())], signal), [{ outcome: 'sent' }])
})
