import t from 'tap'
import { sql } from '#sql/db.ts'
import type { PushResult } from '#tasks/push/engine.ts'
import { assignBlame } from '#tasks/push/rules/blame.ts'
import { until } from '../support/until.ts'
import { apnsForm, apnsToken, fcmToken, manyDevices, pushStack, serviceAccount } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { providers, ask, db } = stack
t.beforeEach(() => {
  providers.sent = []
  providers.answer = () => ({})
})

const stranger = { outcome: 'rejected', status: 403, reason: 'SENDER_ID_MISMATCH', suspect: true } as const
const badToken = { outcome: 'invalid_token', status: 400, reason: 'BadDeviceToken', suspect: true } as const

const invalidated = async (app: string) =>
  (await ask(`GET /push/v1/apps/${app}/stats`)).body.devices.invalidated as number
const faults = async (app: string) => (await ask(`GET /push/v1/apps/${app}`)).body.faults
const stopped = (app: string) => until(async () => (await faults(app))[0], { what: 'the credential is stopped' })

t.test('a broadcast with another project’s account loses no device; the right one sends all that waited', async (t) => {
  const app = await stack.app('fcm')
  await manyDevices(stack, { appId: app, userId: 'all', provider: 'fcm', count: 1_200 })
  let wrong = ''
  providers.answer = (_, { id }) => {
    wrong ||= id
    return id === wrong ? stranger : {}
  }
  const { id } = await stack.send(app, 'all')
  t.match(await stopped(app), { provider: 'fcm', environment: 'production', reason: 'SENDER_ID_MISMATCH' })
  await until(async () => (await ask(`GET /push/v1/messages/${id}`)).body.counts.devices === 1_200)
  t.match((await ask(`GET /push/v1/apps/${app}/stats`)).body, {
    devices: { total: 1_200, invalidated: 0 },
    faults: [{ reason: 'SENDER_ID_MISMATCH' }],
  })
  const [first] = (await ask(`GET /push/v1/messages/${id}/trace?limit=1`)).body.data
  t.match(first, { status: 'queued', held: { reason: 'SENDER_ID_MISMATCH' } })
  t.equal(first.next_attempt_at, first.held.until)
  t.match((await ask(`GET /push/v1/apps/${app}/deliveries?limit=1`)).body.data, [{ held: first.held }])
  await ask(`PUT /push/v1/apps/${app}/credentials/fcm`, { body: { service_account: serviceAccount } })
  t.match(await stack.ended(id), { status: 'sent', counts: { sent: 1_200, failed: 0 } })
  t.same([await faults(app), await invalidated(app)], [[], 0])
})

t.test('a topic that is another app’s stops the credential; an explicit call tries a few, then all go', async (t) => {
  const app = await stack.app('apns')
  await manyDevices(stack, { appId: app, userId: 'all', provider: 'apns', count: 60 })
  let wrong = true
  providers.answer = () =>
    wrong ? { outcome: 'rejected', status: 400, reason: 'DeviceTokenNotForTopic', suspect: true } : {}
  const { id } = await stack.send(app, 'all')
  t.match(await stopped(app), { provider: 'apns', reason: 'DeviceTokenNotForTopic' })
  const given = providers.sent.length
  wrong = false
  const retry = `POST /push/v1/apps/${app}/credentials/apns/retry`
  t.equal((await ask(retry, { body: { environment: 'sandbox' } })).status, 404)
  const reply = await ask(retry, { body: {} })
  t.match(reply, { status: 200, body: { breaker: { reason: 'DeviceTokenNotForTopic' } } }, reply.text)
  t.match(await stack.ended(id), { status: 'sent', counts: { sent: 60 } })
  t.equal(providers.sent.length - given, 60)
  t.match(await ask(retry, { body: {} }), { status: 200, body: { breaker: null } })
})

t.test('one device of another app costs nobody else anything, and stays', async (t) => {
  const app = await stack.app('fcm')
  const foreign = fcmToken()
  providers.answer = ({ token }) => (token === foreign ? stranger : {})
  await stack.device(app, 'eve', { push_provider: 'fcm', token: foreign })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  t.match(await stack.ended((await stack.send(app, 'ann')).id), { status: 'sent' })
  const alone = await stack.ended((await stack.send(app, 'eve')).id)
  t.match(alone, { status: 'failed', counts: { failed: 1 } })
  t.same([await faults(app), await invalidated(app)], [[], 0], 'the credential has proven itself')
})

t.test('before a credential has proven itself, a device that alone keeps it stopped is given up', async (t) => {
  const app = await stack.app('fcm')
  const foreign = fcmToken()
  providers.answer = ({ token }) => (token === foreign ? stranger : {})
  await stack.device(app, 'eve', { push_provider: 'fcm', token: foreign })
  const { id } = await stack.send(app, 'eve')
  for (let tries = 1; tries < 4; tries++) {
    await until(async () => (await stack.trace(id))[0].attempt_count === tries)
    await ask(`POST /push/v1/apps/${app}/credentials/fcm/retry`, { body: {} })
  }
  t.match(await stack.ended(id), { status: 'failed', counts: { failed: 1 } })
  t.equal(await invalidated(app), 0)
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  const next = await stack.send(app, 'ann')
  await ask(`POST /push/v1/apps/${app}/credentials/fcm/retry`, { body: {} })
  t.match(await stack.ended(next.id), { status: 'sent' })
  t.same(await faults(app), [])
})

t.test(
  'tokens of the other environment, called bad in the first broadcast, are kept; a proven key’s are not',
  async (t) => {
    const app = await stack.app('apns')
    await manyDevices(stack, { appId: app, userId: 'all', provider: 'apns', count: 30 })
    providers.answer = () => badToken
    const { id } = await stack.send(app, 'all')
    t.match(await stopped(app), { reason: 'BadDeviceToken' })
    t.equal(await invalidated(app), 0)
    providers.answer = () => ({})
    await ask(`PUT /push/v1/apps/${app}/credentials/apns`, { body: apnsForm })
    await stack.ended(id)
    const bad = apnsToken()
    await stack.device(app, 'ann', { push_provider: 'apns', token: bad })
    providers.answer = () => badToken
    t.match(await stack.ended((await stack.send(app, 'ann')).id), { status: 'failed' })
    t.same([await faults(app), await invalidated(app)], [[], 1])
    const proven = await db.oneFirst(sql.unsafe`
    select count(*)::int4 as count from push.credentials where app_id = ${app} and proven_at is not null`)
    t.equal(proven, 1)
  },
)

t.test('what waits for a refused credential ends with its message, and its reason says why', async (t) => {
  const app = await stack.app('fcm')
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  providers.answer = () => stranger
  const { id } = await stack.send(app, 'ann')
  await stopped(app)
  await db.query(sql.typeAlias('void')`
    update push.messages set expires_at = now() - interval '2 minutes' where id = ${id}`)
  // Any wake-up of its lane finds it, as there is one each minute.
  const next = await stack.send(app, 'ann')
  t.match(await stack.ended(id), { status: 'expired', counts: { expired: 2 } })
  t.match(await stack.trace(id), [{ reason: 'SENDER_ID_MISMATCH' }, { reason: 'SENDER_ID_MISMATCH' }])
  t.match((await ask(`GET /push/v1/messages/${next.id}`)).body, { counts: { queued: 2 } })
})

t.test('whose fault an answer is', async (t) => {
  const of = (count: number, result: Partial<PushResult>) =>
    Array.from({ length: count }, (): PushResult => ({ outcome: 'sent', latencyMs: 1, ...result }))
  const dead = { outcome: 'invalid_token', reason: 'Unregistered' } as const
  const outcomes = (answers: PushResult[], proven: boolean) =>
    [...new Set(assignBlame(answers, proven).map(({ outcome, reason }) => `${outcome} ${reason ?? ''}`.trim()))].sort()
  t.same(outcomes(of(2, dead), false), ['invalid_token Unregistered'], 'what is no suspect is taken as it is')
  t.same(outcomes(of(1, badToken), false), ['rejected BadDeviceToken'], 'one may be mistyped')
  t.same(outcomes([...of(5, badToken), ...of(1, dead)], false), ['credential BadDeviceToken', 'rejected Unregistered'])
  t.same(outcomes([...of(1, badToken), ...of(1, {})], false), ['invalid_token BadDeviceToken', 'sent'])
  t.same(outcomes([...of(30, badToken), ...of(1, {})], true), ['rejected BadDeviceToken', 'sent'], 'most of many')
  t.same(outcomes(of(30, badToken), true), ['credential BadDeviceToken'])
  t.same(outcomes([...of(30, badToken), ...of(40, dead)], true), [
    'invalid_token BadDeviceToken',
    'invalid_token Unregistered',
  ])
  t.same(outcomes([...of(9, stranger), ...of(1, {})], false), ['rejected SENDER_ID_MISMATCH', 'sent'])
})
