import { randomUUID } from 'node:crypto'
import { type Test, test } from 'tap'
import type { Push, PushCredential, PushResult } from '#tasks/push/engine.ts'
import { createPushEngine } from '../../workers/push/engine.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { type FcmAnswer, fcmDetail, fcmError, startFcm } from '../support/push-servers/fcm.ts'

const signal = new AbortController().signal

const pushOf = (facts: Partial<Push> = {}): Push => ({
  id: randomUUID(),
  token: randomUUID(),
  payload: { notification: { title: 'Hello' } },
  ttl: 3_600,
  priority: 'high',
  ...facts,
})

async function setUp(t: Test, timeoutMs?: number) {
  const certificate = await makeCertificate(t)
  const fcm = await startFcm(t, certificate)
  const engine = createPushEngine(serversOf({ fcm: fcm.url }, certificate.cert, timeoutMs))
  t.teardown(() => engine.close())
  const credential: PushCredential = { id: randomUUID(), provider: 'fcm', environment: 'production', ...fcm.credential }
  const sendAll = (pushes: readonly Push[]) => engine.send(credential, pushes, signal)
  const send = async (facts?: Partial<Push>) => (await sendAll([pushOf(facts)]))[0] as PushResult
  return { fcm, engine, credential, send, sendAll, certificate }
}

const coded = (status: number, code: string, headers?: Record<string, string>): FcmAnswer => ({
  ...(fcmError(status, 'SOME_STATUS', [fcmDetail(code)]) as object & { status: number }),
  ...(headers && { headers }),
})

const violation = (field: string) => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description: 'Invalid' }],
})

const tokenMessage = 'The registration token is not a valid FCM registration token'

const cases: [FcmAnswer, Partial<PushResult>][] = [
  [coded(404, 'UNREGISTERED'), { outcome: 'invalid_token', status: 404, reason: 'UNREGISTERED' }],
  [coded(400, 'INVALID_ARGUMENT'), { outcome: 'rejected', status: 400, reason: 'INVALID_ARGUMENT' }],
  [
    fcmError(400, 'INVALID_ARGUMENT', [fcmDetail('INVALID_ARGUMENT'), violation('message.token')]),
    { outcome: 'invalid_token', reason: 'INVALID_ARGUMENT' },
  ],
  [fcmError(400, 'INVALID_ARGUMENT', [violation('message.data[0].value')]), { outcome: 'rejected' }],
  [fcmError(400, 'INVALID_ARGUMENT', [], tokenMessage), { outcome: 'invalid_token', error: tokenMessage }],
  [coded(403, 'SENDER_ID_MISMATCH'), { outcome: 'rejected', suspect: true, status: 403 }],
  [coded(429, 'QUOTA_EXCEEDED'), { outcome: 'retry', status: 429, retryAfter: 60 }],
  [coded(429, 'QUOTA_EXCEEDED', { 'retry-after': '30' }), { outcome: 'retry', retryAfter: 30 }],
  [coded(503, 'UNAVAILABLE', { 'retry-after': '5' }), { outcome: 'retry', status: 503, retryAfter: 5 }],
  [coded(503, 'UNAVAILABLE'), { outcome: 'retry', retryAfter: 10 }],
  [coded(500, 'INTERNAL'), { outcome: 'retry', status: 500, reason: 'INTERNAL' }],
  [coded(401, 'THIRD_PARTY_AUTH_ERROR'), { outcome: 'credential', reason: 'THIRD_PARTY_AUTH_ERROR' }],
  [fcmError(401, 'UNAUTHENTICATED'), { outcome: 'credential', reason: 'UNAUTHENTICATED' }],
  [fcmError(403, 'PERMISSION_DENIED'), { outcome: 'credential', reason: 'PERMISSION_DENIED' }],
  [fcmError(404, 'NOT_FOUND'), { outcome: 'rejected', suspect: true, reason: 'NOT_FOUND' }],
  [
    { status: 502, body: '<html>bad gateway</html>' },
    { outcome: 'retry', status: 502, reason: 'HTTP_502' },
  ],
  [
    { status: 403, body: '<html>forbidden</html>' },
    { outcome: 'credential', status: 403 },
  ],
  ['close', { outcome: 'unknown', reason: 'connection_lost' }],
]

test('each answer of FCM has the outcome that its table says', async (t) => {
  const { fcm, send } = await setUp(t)
  for (const [answer, expected] of cases) {
    const token = randomUUID()
    fcm.script.set(token, answer)
    t.match(await send({ token }), expected, JSON.stringify(answer))
    const asked = fcm.received.filter((request) => request.token === token).length
    t.equal(asked, expected.reason === 'UNAUTHENTICATED' ? 2 : 1, 'a refused access token is made anew first')
  }
})

test('a message arrives with what the push says, unless it says that itself', async (t) => {
  const { fcm, send } = await setUp(t)
  const result = await send({ collapseKey: 'order-7', payload: { data: { k: 'v' }, notification: { title: 'Grüße' } } })
  t.match(result, { outcome: 'sent', status: 200, providerId: 'projects/demo-project/messages/1' })
  t.match(fcm.received[0]?.message, {
    data: { k: 'v' },
    notification: { title: 'Grüße' },
    android: { priority: 'high', ttl: '3600s', collapse_key: 'order-7' },
    apns: { headers: { 'apns-priority': '10', 'apns-collapse-id': 'order-7' } },
  })
  const android = { ttl: '90s', priority: 'normal', notification: { channel_id: 'news' } }
  await send({ ttl: 0, priority: 'low', payload: { android } })
  t.match(fcm.received[1]?.message, { android, apns: { headers: { 'apns-expiration': '0' } } })
  t.match(await send({ payload: { android: null, apns: null, data: null } }), { outcome: 'sent' })
  t.match(fcm.received[2]?.message, { android: { ttl: '3600s' } }, 'a part that is null is missing')
  const bad = await send({ payload: { data: { count: 7 } } })
  t.match(bad, { outcome: 'rejected', reason: 'invalid-payload', error: /string values/ })
  t.equal(fcm.received.length, 3)
})

test('a dry run is validated, and no more', async (t) => {
  const { fcm, send } = await setUp(t)
  t.match(await send({ dryRun: true }), { outcome: 'sent' })
  t.match(await send(), { outcome: 'sent' })
  t.same(
    fcm.received.map(({ validateOnly }) => validateOnly),
    [true, false],
  )
})

test('many go over few connections with one access token, errors between them', async (t) => {
  const { fcm, sendAll } = await setUp(t)
  const pushes = Array.from({ length: 300 }, () => pushOf())
  for (const [i, { token }] of pushes.entries()) if (i % 3 === 0) fcm.script.set(token, coded(503, 'UNAVAILABLE'))
  const results = await sendAll(pushes)
  t.ok(results.every(({ outcome }, i) => outcome === (i % 3 === 0 ? 'retry' : 'sent')))
  t.equal(fcm.given(), 1)
  t.ok(fcm.connections() <= 128, `${fcm.connections()} connections`)
})

test('what ends in the middle, or never comes, is not waited for', async (t) => {
  const { fcm, send } = await setUp(t, 500)
  for (const answer of ['half', 'silence'] as const) {
    const token = randomUUID()
    fcm.script.set(token, answer)
    t.match(await send({ token }), { outcome: 'unknown', reason: /^(timeout|connection_lost)$/ }, answer)
  }
  t.match(await send(), { outcome: 'sent' })
})

test('an access token that is refused is made anew once; an account that gets none is at fault', async (t) => {
  const { fcm, send, engine, credential } = await setUp(t)
  t.match(await send(), { outcome: 'sent' })
  fcm.revoke()
  t.match(await send(), { outcome: 'sent' })
  t.equal(fcm.given(), 2)
  fcm.revoke()
  t.match(await send(), { outcome: 'credential', reason: 'UNAUTHENTICATED' }, 'but not again and again')
  t.equal(fcm.given(), 2)

  const refused = { ...credential, secret: credential.secret.replace('push@', 'other@') }
  const [result] = await engine.send(refused, [pushOf()], signal)
  t.match(result, { outcome: 'credential', status: 400, reason: 'access_token', error: /invalid_grant: Invalid JWT/ })
  t.match(
    await engine.check(refused, signal),
    /rejects the service account: Google did not issue an access token: invalid_grant/,
  )
  fcm.oauth.set('token', { status: 503, body: {} })
  t.match(await engine.send(refused, [pushOf()], signal), [{ outcome: 'retry', status: 503, reason: 'access_token' }])
})

test('a service account is checked, and never quoted', async (t) => {
  const { fcm, engine, credential, certificate } = await setUp(t)
  const check = (secret: string, facts = credential.facts) => engine.check({ ...credential, secret, facts }, signal)
  t.equal(await check(credential.secret), undefined)
  fcm.script.set('no-device', fcmError(400, 'INVALID_ARGUMENT', [violation('message.token')]))
  t.equal(await check(credential.secret), undefined, 'FCM’s word for the token of the check')
  t.ok(fcm.received.every(({ validateOnly }) => validateOnly))
  t.match(await check(credential.secret, { project_id: 'other-project' }), /^FCM knows no such project/)
  fcm.script.set('no-device', fcmError(403, 'PERMISSION_DENIED', [], 'Permission denied'))
  t.match(await check(credential.secret), /^FCM rejects the service account: Permission denied/)
  t.match(await check('rubbish'), /must be the JSON file/)
  t.match(await check('{"client_email":"a","private_key":"rubbish"}'), /must be a private key in PEM/)
  t.match(await check(credential.secret, {}), /must have project_id/)
  const nowhere = createPushEngine(serversOf({ fcm: 'https://127.0.0.1:9' }, certificate.cert, 1_000))
  t.teardown(() => nowhere.close())
  await t.rejects(nowhere.check(credential, signal), { name: 'TransientEngineError', message: /^unchecked: / })
  t.match(await nowhere.send(credential, [pushOf()], signal), [{ outcome: 'retry' }])
})
