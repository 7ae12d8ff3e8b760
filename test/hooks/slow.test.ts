import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await hookStack(t)
const receiver = await testReceiver(t)
await stack.startWorkers({ WEBHOOK_CONCURRENCY: '32' })
await stack.type('invoice.paid')

t.test('the slow endpoints of one app do not delay another app, and all are delivered', async (t) => {
  const held: (() => void)[] = []
  receiver.answer = (_, res, { path }) => {
    const end = () => void res.writeHead(204).end()
    if (path.startsWith('/slow')) held.push(end)
    else end()
  }
  const [slow, fast] = [await stack.app(), await stack.app()]
  for (let i = 0; i < 12; i++) await stack.endpoint(slow, `${receiver.url}/slow-${i}`)
  await stack.endpoint(fast, `${receiver.url}/fast`)
  await stack.send(slow)
  await until(() => held.length >= 4, { what: 'the slow endpoints are called' })
  await stack.send(fast)
  await receiver.has(1, '/fast')
  t.ok(held.length <= 6, `${held.length} slots are used`)
  receiver.answer = (_, res) => void res.writeHead(204).end()
  for (const end of held) end()
  const slots = () => new Set(receiver.received.filter(({ path }) => path.startsWith('/slow')).map(({ path }) => path))
  await until(() => slots().size === 12, { what: 'every slow endpoint is called' })
})

t.test('a deleted payload is not sent, even if its delivery was read before', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, `${receiver.url}/read`, { disabled: true })
  const held: (() => void)[] = []
  receiver.answer = (_, res) => void held.push(() => void res.writeHead(204).end())
  const path = `/v1/hooks/apps/${app}`
  await stack.ask(`PATCH ${path}/endpoints/${id}`, { body: { disabled: false } })
  const deliver_at = new Date(Date.now() + 3_600_000).toISOString()
  const sent: string[] = []
  for (let n = 0; n < 12; n++) sent.push((await stack.send(app, { payload: { n }, deliver_at })).body.id)
  await stack.passTime(id)
  await until(() => held.length === 8, { what: 'eight are under way' })
  const called = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  const waiting = sent.filter((one) => !called.has(one))
  for (const one of waiting) t.equal((await stack.ask(`DELETE ${path}/messages/${one}/payload`)).status, 200)
  // A worker reads the deliveries again after at most one second.
  const readAgain = () =>
    stack.db.exists(sql.unsafe`
      select from webhooks.events where id = ${waiting.at(-1) ?? ''} and payload_deleted_at < clock_timestamp() - interval '1.1 s'`)
  await until(readAgain, { what: 'the last payload was deleted a second ago' })
  receiver.answer = (_, res) => void res.writeHead(204).end()
  for (const end of held) end()
  const isOver = async (one: string) => (await stack.ask(`GET ${path}/messages/${one}`)).body.status !== 'pending'
  await until(async () => (await Promise.all(sent.map(isOver))).every(Boolean), { what: 'all are over' })
  t.equal(receiver.received.filter((one) => one.path === '/read').length, 8)
})
