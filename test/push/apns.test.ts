import { randomBytes, randomUUID } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { type Test, test } from 'tap'
import type { Push, PushCredential, PushResult } from '#tasks/push/engine.ts'
import { createPushEngine } from '../../workers/push/engine.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { type ApnsAnswer, type ApnsRequest, startApns } from '../support/push-servers/apns.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { until } from '../support/until.ts'

const token = () => randomBytes(32).toString('hex')
const signal = new AbortController().signal

const pushOf = (facts: Partial<Push> = {}): Push => ({
  id: randomUUID(),
  token: token(),
  payload: { aps: { alert: { title: 'Hello' } } },
  ttl: 3_600,
  priority: 'high',
  ...facts,
})

async function setUp(t: Test, timeoutMs?: number) {
  const certificate = await makeCertificate(t)
  const apns = await startApns(t, certificate)
  const engine = createPushEngine(serversOf({ apns: apns.url }, certificate.cert, timeoutMs))
  t.teardown(() => engine.close())
  const credential: PushCredential = {
    id: randomUUID(),
    provider: 'apns',
    environment: 'production',
    ...apns.credential,
  }
  const sendAll = (pushes: readonly Push[]) => engine.send(credential, pushes, signal)
  const send = async (facts?: Partial<Push>) => (await sendAll([pushOf(facts)]))[0] as PushResult
  return { apns, engine, credential, send, sendAll }
}

const said = (status: number, reason: string, more?: object, headers?: Record<string, string>): ApnsAnswer => ({
  status,
  body: { reason, ...more },
  ...(headers && { headers }),
})

const at = Date.parse('2026-03-01T00:00:00Z')

const cases: [ApnsAnswer, Partial<PushResult>][] = [
  [{ status: 200 }, { outcome: 'sent', status: 200 }],
  [said(400, 'BadDeviceToken'), { outcome: 'invalid_token', suspect: true, status: 400 }],
  [said(400, 'DeviceTokenNotForTopic'), { outcome: 'rejected', suspect: true }],
  [said(410, 'Unregistered', { timestamp: at }), { outcome: 'invalid_token', status: 410, invalidSince: new Date(at) }],
  [said(410, 'ExpiredToken', { timestamp: at }), { outcome: 'invalid_token', invalidSince: new Date(at) }],
  [said(413, 'PayloadTooLarge'), { outcome: 'rejected', status: 413 }],
  ...[
    'BadCollapseId',
    'BadExpirationDate',
    'BadPriority',
    'BadMessageId',
    'InvalidPushType',
    'PayloadEmpty',
    'DuplicateHeaders',
  ].map((reason): [ApnsAnswer, Partial<PushResult>] => [said(400, reason), { outcome: 'rejected', status: 400 }]),
  ...[
    'InvalidProviderToken',
    'MissingProviderToken',
    'BadCertificate',
    'BadCertificateEnvironment',
    'Forbidden',
    'UnrelatedKeyIdInToken',
    'BadEnvironmentKeyIdInToken',
  ].map((reason): [ApnsAnswer, Partial<PushResult>] => [said(403, reason), { outcome: 'credential', status: 403 }]),
  ...['TopicDisallowed', 'BadTopic', 'MissingTopic'].map((reason): [ApnsAnswer, Partial<PushResult>] => [
    said(400, reason),
    { outcome: 'credential', status: 400 },
  ]),
  [said(429, 'TooManyRequests'), { outcome: 'retry', status: 429, retryAfter: 60 }],
  [said(429, 'TooManyRequests', {}, { 'retry-after': '7' }), { outcome: 'retry', retryAfter: 7 }],
  [said(429, 'TooManyProviderTokenUpdates'), { outcome: 'credential', retryAfter: 1_200 }],
  [said(500, 'InternalServerError'), { outcome: 'retry', status: 500 }],
  [said(503, 'ServiceUnavailable', {}, { 'retry-after': '30' }), { outcome: 'retry', status: 503, retryAfter: 30 }],
  [{ status: 503 }, { outcome: 'retry', status: 503 }],
  [said(404, 'BadPath'), { outcome: 'rejected', status: 404 }],
  [said(405, 'MethodNotAllowed'), { outcome: 'rejected', status: 405 }],
  [said(403, 'SomethingNew'), { outcome: 'credential', status: 403 }],
  [said(400, 'SomethingNew'), { outcome: 'rejected', status: 400 }],
  ['close', { outcome: 'unknown', reason: 'connection_lost' }],
]

test('each answer of APNs has the outcome that its table says', async (t) => {
  const { apns, send } = await setUp(t)
  for (const [answer, expected] of cases) {
    const device = token()
    apns.script.set(device, answer)
    const result = await send({ token: device })
    const reason = typeof answer === 'object' ? (answer.body as { reason: string } | undefined)?.reason : undefined
    t.match(result, { ...(reason !== undefined && { reason }), ...expected }, `${JSON.stringify(answer)}`)
    const asked = apns.received.filter((request) => request.token === device).length
    t.equal(asked, 1, 'it was asked once')
  }
})

test('a push arrives as it was given, under headers that say the rest', async (t) => {
  const { apns, send } = await setUp(t)
  const payload = { aps: { alert: { title: 'Grüße', body: '✓' }, 'mutable-content': 1 }, order: { id: 7 } }
  const id = randomUUID()
  const result = await send({ id, payload, ttl: 60, priority: 'normal', collapseKey: 'x'.repeat(65) })
  t.match(result, { outcome: 'sent', providerId: id })
  t.ok(result.latencyMs > 0)
  const { headers, payload: arrived } = apns.received[0] as ApnsRequest
  t.same(arrived, payload)
  t.match(headers, { 'apns-id': id, 'apns-topic': 'com.example.app', 'apns-push-type': 'alert', 'apns-priority': '5' })
  t.match(headers['apns-collapse-id'], /^[0-9a-f]{64}$/, 'a key of more than 64 bytes is hashed')
  const expires = Number(headers['apns-expiration']) - Date.now() / 1000
  t.ok(expires > 50 && expires < 61)

  await send({ ttl: 0, priority: 'high', background: true, collapseKey: 'order 7' })
  t.match(apns.received.at(-1)?.headers, {
    'apns-push-type': 'background',
    'apns-priority': '5',
    'apns-expiration': '0',
    'apns-collapse-id': 'order 7',
  })
  await send({ pushType: 'voip', priority: 'high' })
  t.match(apns.received.at(-1)?.headers, { 'apns-push-type': 'voip', 'apns-topic': 'com.example.app.voip' })
  t.match(await send({ token: 'no/../token' }), { outcome: 'invalid_token', reason: 'BadDeviceToken' })
  t.equal(apns.received.length, 3, 'what is no token at all is not asked about')
})

test('thousands at once go over one connection, 5xx between them', async (t) => {
  const { apns, sendAll } = await setUp(t)
  const pushes = Array.from({ length: 1_500 }, () => pushOf())
  const failing = pushes.filter((_, i) => i % 10 === 0)
  for (const push of failing) apns.script.set(push.token, said(503, 'ServiceUnavailable'))
  const results = await sendAll(pushes)
  t.equal(results.filter(({ outcome }) => outcome === 'sent').length, 1_350)
  t.ok(
    results.every(({ outcome }, i) => outcome === (i % 10 === 0 ? 'retry' : 'sent')),
    'results in the pushes’ order',
  )
  t.equal(apns.connections(), 1)
  t.equal(new Set(apns.received.map(({ headers }) => headers.authorization)).size, 1, 'and with one provider token')
})

test('what GOAWAY and REFUSED_STREAM have not taken up is sent again at once, on a connection that takes it', async (t) => {
  const { apns, send, sendAll } = await setUp(t)
  const [refused, leaving, full] = [token(), token(), token()]
  apns.script.set(refused, 'refuse', { status: 200 })
  t.match(await send({ token: refused }), { outcome: 'sent' })
  apns.script.set(leaving, 'goaway', { status: 200 })
  const results = await sendAll([pushOf(), pushOf({ token: leaving }), ...Array.from({ length: 20 }, () => pushOf())])
  t.same(
    results.map(({ outcome }) => outcome),
    results.map(() => 'sent'),
  )
  t.equal(apns.connections(), 2)
  apns.script.set(full, 'refuse')
  t.match(await send({ token: full }), { outcome: 'retry', reason: 'connection_closed' }, 'but not for ever')
  apns.script.set(full, said(503, 'Shutdown'), { status: 200 })
  t.match(await send({ token: full }), { outcome: 'sent' }, 'a server that is shut down is left')
  t.equal(apns.connections(), 3)
})

test('a connection that went silent is found out, left, and its pushes sent once more', async (t) => {
  const { apns, send, sendAll } = await setUp(t, 1_200)
  t.match(await send(), { outcome: 'sent' })
  apns.blackHole()
  const results = await sendAll(Array.from({ length: 30 }, () => pushOf()))
  for (const result of results) t.match(result, { outcome: 'sent', error: /^Sent twice/ })
  t.equal(apns.connections(), 2)
  const slow = token()
  apns.script.set(slow, 'silence')
  t.match(await send({ token: slow }), { outcome: 'unknown', reason: 'timeout' }, 'one slow answer')
  t.match(await send(), { outcome: 'sent' })
  t.equal(apns.connections(), 2, 'ends no connection that is alive')
})

test('a provider token that has expired is made anew, once', async (t) => {
  const { apns, send, sendAll } = await setUp(t)
  const [late, never] = [token(), token()]
  apns.script.set(late, said(403, 'ExpiredProviderToken'), { status: 200 })
  t.match(await send({ token: late }), { outcome: 'sent' })
  apns.script.set(never, said(403, 'ExpiredProviderToken'))
  const results = await sendAll(Array.from({ length: 20 }, () => pushOf({ token: never })))
  for (const result of results) t.match(result, { outcome: 'credential', reason: 'ExpiredProviderToken' })
  t.ok(new Set(apns.received.map(({ headers }) => headers.authorization)).size <= 2, 'a wrong clock makes no flood')
})

test('without a server nothing has been sent, and each push may be tried again', async (t) => {
  const { cert } = await makeCertificate(t)
  const { apns, credential } = await setUp(t)
  const nowhere = createPushEngine(serversOf({ apns: 'https://127.0.0.1:9' }, cert, 2_000))
  const untrusted = createPushEngine(serversOf({ apns: apns.url }, cert, 2_000))
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const unheard = createPushEngine(serversOf({ apns: `https://127.0.0.1:${port}` }, cert, 300))
  for (const engine of [nowhere, untrusted, unheard]) {
    t.teardown(() => engine.close())
    t.match(await engine.send(credential, [pushOf()], signal), [{ outcome: 'retry', reason: 'connection_failed' }])
    await t.rejects(engine.check(credential, signal), { name: 'TransientEngineError', message: /^unchecked: / })
  }
  t.equal(apns.received.length, 0)
})

test('a batch that is cut off loses no answer, and begins nothing more', async (t) => {
  const { apns, engine, credential } = await setUp(t)
  const stop = new AbortController()
  const pushes = Array.from({ length: 510 }, () => pushOf())
  for (const { token } of pushes.slice(1)) apns.script.set(token, 'silence')
  const batch = engine.send(credential, pushes, stop.signal)
  await until(() => apns.received.length === 501, { what: 'as many as may be are under way' })
  stop.abort()
  const words = (await batch).map(({ outcome, reason }) => reason ?? outcome)
  t.same(words, ['sent', ...Array(500).fill('aborted'), ...Array(9).fill('not_sent')])
})

test('a key is checked, and never quoted', async (t) => {
  const { engine, credential, sendAll, send } = await setUp(t)
  t.equal(await engine.check(credential, signal), undefined)
  const stranger = await setUp(t)
  const wrong = { ...credential, secret: stranger.credential.secret }
  t.equal(await engine.check(wrong, signal), 'APNs rejects the key: InvalidProviderToken.')
  t.match(await engine.send(wrong, [pushOf()], signal), [{ outcome: 'credential', reason: 'InvalidProviderToken' }])
  t.match(await send(), { outcome: 'sent' }, 'the good key of the same name is not the worse for it')
  for (const secret of ['rubbish', '-----BEGIN PRIVATE KEY-----\nrubbish\n-----END PRIVATE KEY-----', '/etc/passwd']) {
    t.equal(await engine.check({ ...credential, secret }, signal), 'The APNs key must be a private key in PEM format.')
    const [result] = await engine.send({ ...credential, secret }, [pushOf()], signal)
    t.match(result, { outcome: 'credential', reason: 'bad_credential' })
  }
  t.match(await engine.check({ ...credential, facts: {} }, signal), /key_id, team_id and topic/)
  t.same(await sendAll([]), [])
})
