import t from 'tap'
import { sql } from '#sql/db.ts'
import * as daily from '#sql/push/daily.ts'
import { fieldsOf } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { apnsToken, fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, providers } = stack
const app = await stack.app('apns', 'fcm')
const dead = fcmToken()
await stack.device(app, 'ann', { push_provider: 'apns', token: apnsToken(), platform: 'ios' })
await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken(), platform: 'android' })
await stack.device(app, 'ann', { push_provider: 'fcm', token: dead, platform: 'android' })
await stack.device(app, 'ann', { push_provider: 'sse' })
providers.answer = ({ token }) =>
  token === dead ? { outcome: 'invalid_token', status: 404, reason: 'UNREGISTERED' } : { providerId: 'p-1' }
const first = await stack.send(app, 'ann')
await stack.ended(first.id)
await stack.ended((await stack.send(app, 'ann')).id)

t.test('stats tell the devices and what was sent within a day', async (t) => {
  t.same((await ask(`GET /push/v1/apps/${app}/stats`)).body, {
    devices: { total: 3, invalidated: 1, by_provider: { apns: 1, fcm: 1, sse: 1 } },
    faults: [],
    last_24_hours: {
      deliveries: 7,
      by_status: { queued: 0, sent: 6, delivered: 0, failed: 1, expired: 0, cancelled: 0 },
    },
  })
})

t.test('insights add up by day, status, provider, platform and reason', async (t) => {
  const { body } = await ask(`GET /push/v1/apps/${app}/insights?days=7`)
  const totals = { sent: 6, delivered: 0, displayed: 0, opened: 0, failed: 1, expired: 0 }
  t.same(body.totals, totals)
  t.equal(body.series.length, 7)
  const { day, ...today } = body.series.at(-1)
  t.same([day, today], [new Date().toISOString().slice(0, 10), totals])
  t.same(body.series[0].sent, 0)
  const by = (parts: { name: string; sent: number; failed: number }[]) =>
    Object.fromEntries(parts.map(({ name, sent, failed }) => [name, [sent, failed]]))
  t.same(by(body.breakdowns.provider), { apns: [2, 0], fcm: [2, 1], sse: [2, 0] })
  t.same(by(body.breakdowns.platform), { ios: [2, 0], android: [2, 1], unknown: [2, 0] })
  t.same(body.breakdowns.reason, [{ name: 'UNREGISTERED', count: 1 }])
  t.match(body.breakdowns.status, [{ name: 'sent', count: 6 }])
  t.equal((await ask(`GET /push/v1/apps/${app}/insights`)).body.days, 30)
  for (const days of ['0', '91', 'x']) {
    t.same(fieldsOf(await ask(`GET /push/v1/apps/${app}/insights?days=${days}`)), ['query.days'])
  }
})

t.test('deliveries are listed, and a message’s trace has every attempt with the provider’s answer', async (t) => {
  const { body } = await ask(`GET /push/v1/apps/${app}/deliveries?status=failed&provider=fcm`)
  t.match(body.data, [{ message_id: first.id, user_id: 'ann', reason: 'UNREGISTERED', attempt_count: 1 }])
  t.equal((await ask(`GET /push/v1/apps/${app}/deliveries?limit=3`)).body.data.length, 3)
  const trace = await stack.trace(first.id)
  t.equal(trace.length, 4)
  const failed = trace.find(({ status }) => status === 'failed')
  t.match(failed.attempts, [
    { number: 1, outcome: 'invalid_token', provider_status: 404, reason: 'UNREGISTERED', latency_ms: 1, at: String },
  ])
  const sent = trace.find(({ provider }) => provider === 'apns')
  t.match(sent, { status: 'sent', sent_at: String, attempts: [{ outcome: 'sent', provider_message_id: 'p-1' }] })
})

t.test('what has had its time is forgotten, and what is newer is not', async (t) => {
  const old = '01800000-0000-7000-8000-000000000000'
  await stack.db.query(sql.typeAlias('void')`
    insert into push.messages (id, org_id, app_id, user_id, content, priority, status, expires_at)
    values (${old}, ${stack.orgId}, ${app}, 'ann', '{}', 5, 'sent', now())`)
  const long = { org_id: stack.orgId, app_id: app, provider: 'sse', platform: null, status: 'sent' as const }
  await daily.count(stack.db, [{ ...long, created_at: new Date(Date.now() - 200 * 24 * 3_600_000) }])
  await pruneArea(stack.db, 'push')
  t.equal((await ask(`GET /push/v1/messages/${old}`)).status, 404)
  t.equal((await ask(`GET /push/v1/messages/${first.id}`)).status, 200)
  const days = await daily.listByDay(stack.db, app, '2000-01-01')
  t.equal(new Set(days.map(({ day }) => day)).size, 1)
})
