import '../support/webhooks-environment.ts'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
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
    error: 'The response of the endpoint could not be stored.',
  })
  await stack.passTime(id)
  await stack.logged(id, ({ status, attempts }) => status === 'delivered' && attempts === 2)
  t.equal((await receiver.has(3, '/refused')).length, 3)
})

t.test('a 2xx status is success, whatever becomes of the body', async (t) => {
  const broken: Record<string, (res: ServerResponse) => void> = {
    hung: (res) => void res.writeHead(200, { 'content-length': '10' }).write('abc'),
    short: (res) => void res.writeHead(200, { 'content-length': '10' }).write('abc', () => res.destroy()),
    chunk: (res) => void res.socket?.end('HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n'),
    encoding: (res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip'),
    unknown: (res) => void res.writeHead(200, { 'content-encoding': 'rot13' }).end('nop'),
  }
  for (const [name, answer] of Object.entries(broken)) {
    receiver.answer = (_, res) => answer(res)
    const { id } = await stack.add(`${receiver.url}/${name}`)
    await stack.emit('email.sent')
    t.match(
      await stack.logged(id, ({ attempts }) => attempts > 0),
      { status: 'delivered', attempts: 1, error: null },
      name,
    )
    await stack.idle()
    t.equal((await receiver.has(1, `/${name}`)).length, 1, `${name} is sent once`)
    await stack.ask(`DELETE /send/v1/webhooks/${id}`)
  }
})

t.test('an endpoint that never answers is asked no more for a while, and its deliveries wait at no cost', async (t) => {
  receiver.answer = () => {}
  const seen = () => receiver.received.filter(({ path }) => path === '/silent').length
  const { id } = await stack.add(`${receiver.url}/silent`)
  for (let i = 0; i < 7; i++) await stack.emit('email.sent', { i })
  await until(() => seen() === 7, { what: 'it is asked for each of them, at the same time' })
  t.match(await stack.logged(id, ({ attempts }) => attempts === 1), { status: 'pending', error: /15000 ms/ })
  await stack.idle()
  await stack.passTime(id)
  await stack.idle()
  t.equal(seen(), 7, 'it is left alone')
  t.match(await stack.logged(id, () => true), { status: 'pending', attempts: 1 })
  receiver.answer = (_, res) => void res.writeHead(204).end()
  const tested = await stack.ask(`POST /send/v1/webhooks/${id}/test`, { body: {} })
  t.match(tested.body, { delivered: true }, 'a test asks it anyway')
})
