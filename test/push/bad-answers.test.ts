import t from 'tap'
import type { PushResult } from '#tasks/push/engine.ts'
import { apnsToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { providers, ask } = stack

const bad: Partial<PushResult>[] = [
  { outcome: 'rejected', reason: 'a\0b', error: 'c\0d' },
  { outcome: 'rejected', reason: `${'x'.repeat(199)}👍`, error: `${'y'.repeat(999)}👍` },
  { outcome: 'rejected', reason: '\ud800', error: '\udfff', status: 1e12 },
  { outcome: 'rejected', reason: [...Array(4_000).keys()].map((n) => n.toString(36)).join(''), status: 4.5 },
  { outcome: 'invalid_token', reason: 'Unregistered', invalidSince: new Date(Number.NaN) },
  { outcome: 'invalid_token', reason: 'Unregistered', invalidSince: new Date(8.64e15) },
  { outcome: 'invalid_token', reason: 'Unregistered', invalidSince: new Date(-8.64e15) },
  { outcome: 'retry', reason: 'UNAVAILABLE', retryAfter: 1e300 },
  { outcome: 'retry', reason: 'UNAVAILABLE', retryAfter: Number.NaN },
  { outcome: 'sent', providerId: 'p\0q' },
]

t.test('whatever a provider answers for some devices, the others of the batch are sent to once', async (t) => {
  const app = await stack.app('apns')
  const tokens = bad.map(() => apnsToken())
  const good = Array.from({ length: 5 }, () => apnsToken())
  for (const token of [...tokens, ...good]) await stack.device(app, 'ann', { push_provider: 'apns', token })
  providers.answer = ({ token }) => bad[tokens.indexOf(token)] ?? {}
  const { id } = await stack.send(app, 'ann', { title: 'Hi', ttl: 5 })
  t.match(await stack.ended(id), { status: 'sent', counts: { sent: 6, failed: 7, expired: 2 } })
  for (const token of good) t.equal(providers.sent.filter(({ push }) => push.token === token).length, 1)
  const trace = await stack.trace(id)
  t.equal(trace.length, 15)
  const reasons = trace.map(({ reason }) => reason ?? '')
  t.ok(reasons.includes('a\ufffdb') && reasons.includes('x'.repeat(199)))
  t.ok(reasons.every((reason) => reason.length <= 200))
  t.equal((await ask(`GET /push/v1/apps/${app}/stats`)).body.devices.invalidated, 3)
})
