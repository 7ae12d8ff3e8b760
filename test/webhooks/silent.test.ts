import '../support/webhooks-environment.ts'
import t from 'tap'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { testReceiver } from './receiver.ts'
import { webhookStack } from './stack.ts'

t.test('silent webhooks of one organisation hold up no other’s', async (t) => {
  const stack = await webhookStack(t)
  const receiver = await testReceiver(t)
  await stack.startWorkers({ WEBHOOK_CONCURRENCY: '4' })
  const { org, keys } = await testOrg(stack.db, ['email:manage'])
  receiver.answer = ({ url }, res) => void (url === '/neighbour' && res.writeHead(204).end())
  for (let i = 0; i < 8; i++) await stack.add(`${receiver.url}/silent-${i}`)
  await stack.emit('email.sent')
  await until(() => receiver.received.length > 0, { what: 'the first hangs' })
  const added = await stack.ask('POST /send/v1/webhooks', {
    key: keys.main,
    body: { url: `${receiver.url}/neighbour`, events: ['*'] },
  })
  t.equal(added.status, 201, added.text)
  const at = (path: string) => receiver.received.filter((one) => one.path.startsWith(path)).length
  for (let i = 1; i <= 5; i++) {
    await stack.emitFor(org.id)('email.sent')
    await until(() => at('/neighbour') === i, { what: 'the neighbour’s event arrives' })
  }
  t.ok(at('/silent') < 8, 'the other has its share alone')
})
