import '../support/webhooks-environment.ts'
import t from 'tap'
import { until } from '../support/until.ts'
import { testReceiver, verifies } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

const stack = await hookStack(t)
const { ask, send } = stack
const receiver = await testReceiver(t)
await stack.startWorkers()
await stack.type('invoice.paid')
await stack.type('user.created')

t.test('a message arrives signed, with the payload as its body, and its attempt is logged', async (t) => {
  const app = await stack.app({ uid: 'customer-1' })
  const endpoint = await stack.endpoint('customer-1', `${receiver.url}/first`, { headers: { 'X-Team': 'billing' } })
  const payload = { z: 1, invoice_id: 'in_1042', items: [{ b: 2, a: 'ü' }], '2': 'x' }
  const sent = await send('customer-1', { payload, event_id: 'evt-1', tags: ['vip'] })
  t.match(sent, { status: 202, body: { event_type: 'invoice.paid', status: 'pending', event_id: 'evt-1' } })
  const [delivery] = await receiver.has(1, '/first')
  if (!delivery) return
  t.equal(delivery.body, JSON.stringify(payload))
  t.equal(delivery.headers['webhook-id'], sent.body.id)
  t.equal(delivery.headers['x-team'], 'billing')
  t.ok(verifies(endpoint.secret, delivery))
  const attempts = await until(
    async () => {
      const { body } = await ask(`GET /v1/hooks/apps/${app}/messages/${sent.body.id}/attempts`)
      return body.data[0]?.status === 'delivered' && body.data
    },
    { what: 'the attempt is logged' },
  )
  t.match(attempts, [{ endpoint_id: endpoint.id, attempts: 1, response_status: 204, attempt_log: [{ status: 204 }] }])
  t.match((await ask(`GET /v1/hooks/apps/customer-1/messages/${sent.body.id}`)).body, { status: 'delivered', payload })
})
