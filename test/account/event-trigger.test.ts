import '../support/webhooks-environment.ts'
import t from 'tap'
import { openSource } from '../notify/event-source.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { webhookStack } from '../webhooks/stack.ts'

const stack = await webhookStack(t, ['account'])
const receiver = await testReceiver(t)
await stack.startWorkers()
const path = 'POST /v1/account/events/trigger'

async function scene() {
  const scopes = ['account:webhooks']
  const { keys } = await testOrg(stack.db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } },
  })
  const asKey = (key: string) => (request: string, body?: unknown) => stack.ask(request, { key, body })
  const listen = (key = keys.main) =>
    openSource(t, `${stack.base.api.base}/v1/account/events/stream`, { authorization: `Bearer ${key}` })
  return { ask: asKey(keys.main), asTest: asKey(keys.test), listen, keys }
}

const add = async (ask: Awaited<ReturnType<typeof scene>>['ask'], name: string, facts: object = {}) =>
  (await ask('POST /v1/account/webhooks', { url: `${receiver.url}/${name}`, types: ['email.*'], ...facts })).body.id

t.test('a sample event reaches the stream and the webhooks for tests', async (t) => {
  const { ask, listen, keys } = await scene()
  const [test, other] = [
    await add(ask, 'test', { mode: 'test' }),
    await add(ask, 'files', { mode: 'test', types: ['files.*'] }),
  ]
  const all = await add(ask, 'all')
  const sources = [await listen(), await listen(keys.test)]
  for (const source of sources) await source.wait('ready', 1)
  const { status, body } = await ask(path, { type: 'email.bounced', data: { to: 'ann@people.example' } })
  t.equal(status, 201)
  t.match(body, {
    type: 'email.bounced',
    sample: true,
    streamed: true,
    webhooks: [test],
    data: { to: 'ann@people.example' },
  })
  for (const source of sources)
    t.match(await source.wait('email.bounced', 1), [{ id: body.id, sample: true, data: body.data }])
  const [told] = await receiver.has(1, '/test')
  t.match(told?.event, { type: 'email.bounced', data: body.data })
  await ask(path, { type: 'email.bounced', webhook_id: all })
  t.equal((await receiver.has(1, '/all')).length, 1, 'a named webhook receives it')
  t.equal(receiver.received.filter(({ path }) => path === '/files').length, 0, other)
  t.equal((await ask('GET /v1/account/events')).body.data.length, 0, 'samples are not listed')
})

t.test('unknown types and invalid data are rejected', async (t) => {
  const { ask, asTest } = await scene()
  const near = await ask(path, { type: 'email.bounce' })
  t.match(near, { status: 400, text: /must be an event type such as email\.bounced/ })
  const group = await ask(path, { type: 'email' })
  t.match(group, { status: 400, text: /such as email\./ })
  t.match(await ask(path, { type: 'zzzzzzzzzzzzzzzzzzzzzz' }), { status: 400, text: /listed in the webhooks guide/ })
  t.same(fieldsOf(await ask(path, { type: 'email.bounced', data: { id: 5, strange: 1 } })), [
    'body.data.id',
    'body.data.strange',
  ])
  const live = await add(ask, 'live')
  t.equal((await asTest(path, { type: 'email.bounced', webhook_id: live })).status, 404)
  t.match(await ask(path, { type: 'email.bounced' }), { status: 201, body: { streamed: false, webhooks: [] } })
})
