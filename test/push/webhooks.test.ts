import '../support/webhooks-environment.ts'
import t from 'tap'
import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { testReceiver, verifies } from '../webhooks/receiver.ts'
import { fcmToken, pushStack, secret } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const plan: PoolPlan<'webhooks'> = {
  pool: 'webhooks',
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: getTasksOfPool('webhooks'),
  tools: { outbound: createOutboundClient(), seal: createSeal(secret, sealPurpose) },
}
await stack.startWorkers(plan as PoolPlan)
const receiver = await testReceiver(t)

t.test('webhooks are told of deliveries that fail and devices that are dead, signed', async (t) => {
  const app = await stack.app('fcm')
  const made = await stack.ask('POST /push/v1/webhooks', {
    body: { url: `${receiver.url}/push`, events: ['push.failed', 'push.installation.invalidated'] },
  })
  t.match(made, { status: 201, body: { secret: /^whsec_/ } })
  const listed = await stack.ask('GET /push/v1/webhooks')
  t.match(listed.body.data, [{ id: made.body.id, url: `${receiver.url}/push` }])
  t.notOk('secret' in listed.body.data[0], 'the secret is shown once')
  const device = await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
  stack.providers.answer = () => ({ outcome: 'invalid_token', status: 404, reason: 'UNREGISTERED' })
  const { id: message_id } = await stack.send(app, 'ann')
  const arrived = await receiver.has(2, '/push')
  for (const one of arrived) t.ok(verifies(made.body.secret, one))
  const about = { app_id: app, user_id: 'ann', installation_id: device.id, provider: 'fcm', reason: 'UNREGISTERED' }
  const events = Object.fromEntries(arrived.map(({ event }) => [event.type, event.data]))
  t.match(events['push.failed'], { ...about, message_id, status: 'failed' })
  t.match(events['push.installation.invalidated'], about)
})

t.test('a test event answers with status, latency and the head of the body', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(418).end('short and stout')
  const { body } = await stack.ask('GET /push/v1/webhooks')
  const tested = await stack.ask(`POST /push/v1/webhooks/${body.data[0].id}/test`)
  t.match(tested, { status: 200, body: { response_status: 418, latency_ms: Number, response_head: 'short and stout' } })
})
