import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import type { DeliveryMarks } from '#tasks/push/rules/payload/parts.ts'
import { isReceiptOf } from '#tasks/push/rules/receipt-token.ts'
import { until } from '../support/until.ts'
import { apnsForm, apnsToken, fcmToken, manyDevices, pushStack, secret, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { providers } = stack
t.beforeEach(() => {
  providers.sent = []
  providers.answer = () => ({})
})

const attemptsOf = (trace: { attempts: { outcome: string; reason: string }[] }[]) =>
  trace.map(({ attempts }) => attempts.map(({ outcome }) => outcome))

t.test('a message reaches every device of a person and nobody else’s, each by its provider', async (t) => {
  const app = await stack.app('apns', 'fcm')
  const tokens = [apnsToken(), fcmToken()]
  const web = subscription()
  await stack.device(app, 'ann', { push_provider: 'apns', token: tokens[0], platform: 'ios' })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: tokens[1], platform: 'android' })
  await stack.device(app, 'ann', { push_provider: 'webpush', subscription: web })
  const stream = await stack.device(app, 'ann', { push_provider: 'sse' })
  await stack.device(app, 'bob', { push_provider: 'fcm', token: fcmToken() })

  const listener = listen(stack.databaseUrl, ['push_stream'])
  t.teardown(() => listener.close())
  const heard: string[] = []
  listener.on('push_stream', (payload) => heard.push(...JSON.parse(payload)))
  const first = await stack.send(app, 'ann', { title: 'Hi', data: { a: '1' }, priority: 10, collapse_key: 'c' })
  await stack.ended(first.id)
  const second = await stack.send(app, 'ann', { title: 'Hi', data: { a: '1' }, priority: 10, collapse_key: 'c' })
  t.match(await stack.ended(second.id), { status: 'sent', counts: { devices: 4, sent: 4, queued: 0, failed: 0 } })
  await until(() => heard.includes(stream.id))

  const trace = await stack.trace(second.id)
  const byToken = new Map(providers.sent.slice(3).map((one) => [one.push.token, one]))
  t.same([...byToken.keys()].sort(), [...tokens, web.endpoint].sort())
  const ids = Object.fromEntries(trace.map(({ provider, id }) => [provider, id]))
  const marks = { message_id: second.id, delivery_id: ids.apns }
  t.match(byToken.get(tokens[0] as string), {
    credential: { provider: 'apns', facts: { key_id: 'ABC123DEFG' }, secret: /BEGIN PRIVATE KEY/ },
    push: {
      id: ids.apns,
      priority: 'high',
      collapseKey: 'c',
      background: false,
      payload: { aps: { alert: { title: 'Hi' } }, data: { a: '1' }, push: marks },
    },
  })
  t.match(byToken.get(tokens[1] as string)?.push.payload, {
    notification: { title: 'Hi' },
    data: { a: '1', push_message_id: second.id, push_delivery_id: ids.fcm },
  })
  const toBrowser = byToken.get(web.endpoint)?.push
  t.match(toBrowser, { keys: web.keys, payload: { title: 'Hi', data: { a: '1' } } })
  const receipt = (toBrowser?.payload.push as DeliveryMarks | undefined)?.receipt ?? ''
  t.ok(isReceiptOf(receipt, ids.webpush, secret), 'the receipt’s token is for that delivery alone')
  const event = z.object({ event: z.number() })
  const events = await stack.db.anyFirst(sql.type(event)`
    select event from push.deliveries where installation_id = ${stream.id} order by id`)
  t.same(events, [1, 2], 'events of a stream are numbered')
})

t.test('what a provider asks to send again is sent again when it says, until the ttl ends', async (t) => {
  const app = await stack.app('fcm')
  const [patient, late] = [fcmToken(), fcmToken()]
  await stack.device(app, 'ann', { push_provider: 'fcm', token: patient })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: late })
  providers.answer = ({ token }) => {
    if (token === late) return { outcome: 'retry', status: 429, reason: 'QUOTA_EXCEEDED', retryAfter: 3600 }
    const tries = providers.sent.filter(({ push }) => push.token === token).length
    return tries < 3 ? { outcome: tries === 1 ? 'retry' : 'unknown', reason: 'UNAVAILABLE', retryAfter: 0.05 } : {}
  }
  const { id } = await stack.send(app, 'ann', { title: 'Hi', ttl: 60 })
  t.match(await stack.ended(id), { status: 'sent', counts: { sent: 1, expired: 1 } })
  const trace = await stack.trace(id)
  t.same(attemptsOf(trace).sort(), [['retry'], ['retry', 'unknown', 'sent']])
  const expired = trace.find(({ status }) => status === 'expired')
  t.match(expired, { reason: 'QUOTA_EXCEEDED', attempts: [{ provider_status: 429, retry_after_seconds: 3600 }] })
})

t.test('a dead token invalidates its device, unless the device has registered since', async (t) => {
  const app = await stack.app('apns')
  const [dead, renewed, refused] = [apnsToken(), apnsToken(), apnsToken()]
  for (const token of [dead, renewed, refused]) await stack.device(app, 'ann', { push_provider: 'apns', token })
  const long = new Date(Date.now() - 3_600_000)
  providers.answer = ({ token }) => {
    if (token === refused) return { outcome: 'rejected', status: 400, reason: 'PayloadTooLarge' }
    const since = token === renewed ? { invalidSince: long } : {}
    return { outcome: 'invalid_token', status: 410, reason: 'Unregistered', ...since }
  }
  const { id } = await stack.send(app, 'ann')
  t.match(await stack.ended(id), { status: 'failed', counts: { failed: 3 } })
  const { body } = await stack.ask(`GET /push/v1/apps/${app}/installations?status=invalidated`)
  t.match(body.data, [{ token_end: dead.slice(-8), invalidated_reason: 'Unregistered' }])
  t.equal(body.data.length, 1)
  await stack.device(app, 'ann', { push_provider: 'apns', token: dead })
  providers.answer = () => ({})
  t.match(await stack.ended((await stack.send(app, 'ann')).id), { counts: { sent: 3 } })
})

t.test('a refused credential stops its app alone; what waits is sent by the one that is set next', async (t) => {
  const [app, other] = [await stack.app('apns'), await stack.app('apns')]
  for (const one of [app, other]) await stack.device(one, 'ann', { push_provider: 'apns', token: apnsToken() })
  const { body } = await stack.ask(`GET /push/v1/apps/${app}/credentials/apns`)
  t.match(body.data, [{ check: 'ok', breaker: null }])
  const refusing = providers.sent
  let refused = ''
  providers.answer = (_, credential) => {
    refused ||= credential.id
    return credential.id === refused ? { outcome: 'credential', status: 403, reason: 'InvalidProviderToken' } : {}
  }
  const first = await stack.send(app, 'ann')
  await until(async () => {
    const now = await stack.ask(`GET /push/v1/apps/${app}/credentials/apns`)
    return now.body.data[0].breaker?.reason === 'InvalidProviderToken'
  })
  const second = await stack.send(app, 'ann')
  t.match(await stack.ended((await stack.send(other, 'ann')).id), { status: 'sent' })
  t.equal(refusing.filter(({ credential }) => credential.id === refused).length, 1, 'nothing is sent while it is open')
  t.match((await stack.trace(first.id))[0], { status: 'queued', reason: 'InvalidProviderToken' })

  await stack.ask(`PUT /push/v1/apps/${app}/credentials/apns`, { body: apnsForm })
  for (const { id } of [first, second]) t.match(await stack.ended(id), { status: 'sent', counts: { sent: 1 } })
})

t.test('half-open, a breaker lets one batch try, and closes when it is taken', async (t) => {
  const app = await stack.app('fcm')
  await manyDevices(stack, { appId: app, userId: 'ann', provider: 'fcm', count: 60 })
  let good = false
  providers.answer = () => (good ? {} : { outcome: 'credential', status: 401, reason: 'THIRD_PARTY_AUTH_ERROR' })
  const { id } = await stack.send(app, 'ann')
  const half = sql.typeAlias('void')`
    update push.credentials set open_until = now() - interval '1 second' where app_id = ${app} and provider = 'fcm'`
  const failures = () =>
    stack.db.oneFirst(sql.type(z.object({ failures: z.number() }))`
      select failures from push.credentials where app_id = ${app} and provider = 'fcm'`)
  await until(async () => (await failures()) === 1)
  const before = providers.sent.length
  await stack.db.query(half)
  await stack.send(app, 'ann')
  await until(async () => (await failures()) === 2)
  t.ok(providers.sent.length - before <= 20, 'as few as it takes')
  good = true
  await stack.db.query(half)
  await stack.send(app, 'ann')
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 60, sent: 60 } })
  t.equal(await failures(), 0)
})

t.test('a provider that is away opens the breaker as well, which one batch closes when it is back', async (t) => {
  const app = await stack.app('fcm')
  await manyDevices(stack, { appId: app, userId: 'ann', provider: 'fcm', count: 40 })
  let isAway = true
  providers.answer = () => (isAway ? { outcome: 'retry', status: 503, reason: 'UNAVAILABLE' } : {})
  const { id } = await stack.send(app, 'ann')
  const breaker = async () => (await stack.ask(`GET /push/v1/apps/${app}/credentials/fcm`)).body.data[0].breaker
  await until(async () => (await breaker())?.reason === 'UNAVAILABLE')
  t.equal(providers.sent.length, 40, 'none of them is tried a second time')
  isAway = false
  await stack.db.query(sql.typeAlias('void')`
    update push.credentials set open_until = now() - interval '1 second' where app_id = ${app} and provider = 'fcm'`)
  await stack.db.query(sql.typeAlias('void')`update push.deliveries set due_at = now() where message_id = ${id}`)
  await stack.send(app, 'ann')
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 40, sent: 40 } })
  t.equal(await breaker(), null)
})

t.test('a device that moved, was removed or has no credential fails with the reason, and is not sent to', async (t) => {
  const app = await stack.app('apns')
  const token = apnsToken()
  await stack.device(app, 'ann', { push_provider: 'apns', token })
  const gone = await stack.device(app, 'ann', { push_provider: 'apns', token: apnsToken() })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  await stack.db.query(sql.typeAlias('void')`
    update push.credentials set open_until = now() + interval '1 hour' where app_id = ${app} and provider = 'apns'`)
  const { id } = await stack.send(app, 'ann')
  await until(async () => (await stack.trace(id)).length === 3)
  await stack.device(app, 'bob', { push_provider: 'apns', token })
  await stack.ask(`DELETE /push/v1/installations/${gone.id}`)
  await stack.ask(`PUT /push/v1/apps/${app}/credentials/apns`, { body: apnsForm })
  t.match(await stack.ended(id), { status: 'failed', counts: { failed: 3 } })
  const reasons = (await stack.trace(id)).map(({ reason }) => reason).sort()
  t.same(reasons, ['installation_moved', 'installation_removed', 'no_credential'])
  t.same(providers.sent, [])
})

t.test('a dry run is checked by FCM and delivered by nobody, nor counted', async (t) => {
  const app = await stack.app('apns', 'fcm')
  await stack.device(app, 'ann', { push_provider: 'apns', token: apnsToken() })
  await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  await stack.device(app, 'ann', { push_provider: 'sse' })
  const { id } = await stack.send(app, 'ann', { title: 'Hi', dry_run: true })
  t.match(await stack.ended(id), { status: 'sent', dry_run: true, counts: { devices: 3, sent: 3 } })
  t.match(
    providers.sent.map(({ push, credential }) => [credential.provider, push.dryRun]),
    [['fcm', true]],
  )
  t.same(new Set((await stack.trace(id)).map(({ reason }) => reason)), new Set(['dry_run']))
  const { body } = await stack.ask(`GET /push/v1/apps/${app}/insights`)
  t.equal(body.totals.sent, 0)
})

t.test('a scheduled message finds the devices of its hour; a cancelled one finds none', async (t) => {
  const app = await stack.app('fcm')
  const at = () => new Date(Date.now() + 600_000).toISOString()
  const sent = await stack.send(app, 'new', { title: 'later', send_at: at() })
  const cancelled = await stack.send(app, 'new', { title: 'never', send_at: at() })
  t.same([sent.status, cancelled.status], ['scheduled', 'scheduled'])
  t.match(await stack.ask(`DELETE /push/v1/messages/${cancelled.id}`), { status: 200, body: { status: 'cancelled' } })
  t.equal((await stack.ask(`DELETE /push/v1/messages/${cancelled.id}`)).status, 200, 'twice is the same')
  await stack.device(app, 'new', { push_provider: 'fcm', token: fcmToken() })
  await stack.db.query(sql.typeAlias('void')`
    update push.messages set send_at = now() where id in (${sent.id}, ${cancelled.id})`)
  await stack.db.query(sql.typeAlias('void')`
    update jobs_push._private_jobs set run_at = now()
    where payload -> 'payload' ->> 'messageId' in (${sent.id}, ${cancelled.id})`)
  t.match(await stack.ended(sent.id), { status: 'sent', counts: { sent: 1 } })
  t.equal((await stack.ask(`DELETE /push/v1/messages/${sent.id}`)).status, 409)
  t.match(await stack.ended(cancelled.id), { status: 'cancelled', counts: { devices: 0 } })
  t.equal(providers.sent.length, 1)
})

t.test('10,000 devices are each sent to once', async (t) => {
  const app = await stack.app('fcm', 'apns')
  await manyDevices(stack, { appId: app, userId: 'crowd', provider: 'fcm', count: 6_000 })
  await manyDevices(stack, { appId: app, userId: 'crowd', provider: 'apns', count: 3_000 })
  await manyDevices(stack, { appId: app, userId: 'crowd', provider: 'sse', count: 1_000 })
  const begun = performance.now()
  const { id } = await stack.send(app, 'crowd')
  t.match(await stack.ended(id), { status: 'sent', counts: { devices: 10_000, sent: 10_000, queued: 0 } })
  t.comment(`${Math.round(performance.now() - begun)} ms`)
  t.equal(new Set(providers.sent.map(({ push }) => push.token)).size, 9_000)
  t.equal(providers.sent.length, 9_000)
})
