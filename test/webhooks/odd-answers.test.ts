import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { testReceiver } from './receiver.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t)
const receiver = await testReceiver(t)
await stack.startWorkers()

t.test('an answer with NUL and halves of characters is logged, and what is delivered is delivered once', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(200).end('a\0b\xed\xa0\x80', 'latin1')
  const { id } = await stack.add(`${receiver.url}/nul`)
  await stack.emit('email.sent')
  const delivery = await stack.logged(id, ({ status }) => status === 'delivered')
  t.match(delivery, { attempts: 1, response_head: /^a\ufffdb\ufffd+$/ })
  await stack.idle()
  t.equal((await receiver.has(1, '/nul')).length, 1)
  await stack.ask(`DELETE /send/v1/webhooks/${id}`)
})

t.test('an answer that the database refuses holds up nothing behind it and is asked for once', async (t) => {
  await stack.db.query(sql.typeAlias('void')`
    alter table webhooks.deliveries add constraint bearable check (response_head <> 'unbearable')`)
  let asked = 0
  receiver.answer = (_, res) => void res.writeHead(asked % 2 ? 500 : 200).end(asked++ < 2 ? 'unbearable' : 'fine')
  const { id } = await stack.add(`${receiver.url}/refused`)
  await stack.emit('email.sent')
  t.match(await stack.logged(id, ({ status }) => status === 'delivered'), { attempts: 1, response_head: null })
  await stack.emit('email.delivered')
  t.match(await stack.logged(id, ({ attempts }) => attempts === 1), {
    type: 'email.delivered',
    response_status: 500,
    response_head: null,
    error: 'What the endpoint answered could not be kept.',
  })
  await stack.passTime(id)
  await stack.logged(id, ({ status, attempts }) => status === 'delivered' && attempts === 2)
  t.equal((await receiver.has(3, '/refused')).length, 3)
})
