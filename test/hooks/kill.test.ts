import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { hookStack } from './stack.ts'

const rounds = isWhole ? 20 : 2

t.setTimeout(rounds * 60_000)
const stack = await hookStack(t)
const { db } = stack
const receiver = await testReceiver(t)
await stack.type('invoice.paid')

/** Messages per round, endpoints, and simultaneous deliveries to one endpoint. */
const [messages, endpoints, atOnce] = [40, 3, 8]

t.test('every accepted message is delivered once, except those that were in progress at a kill', async (t) => {
  receiver.answer = (_, res) => void setTimeout(() => res.writeHead(204).end(), 15)
  const app = await stack.app()
  for (let i = 0; i < endpoints; i++)
    await stack.endpoint(app, `${receiver.url}/${i}`, i === 2 ? { rate: { limit: 50, per: 'second' } } : {})
  for (let round = 1; round <= rounds; round++) {
    const worker = await stack.startWorkers()
    const before = receiver.received.length
    const killAfter = 5 + Math.round((messages * endpoints - 20) * (round / rounds))
    const [sent] = await Promise.all([
      Promise.all(Array.from({ length: messages }, (_, n) => stack.send(app, { payload: { round, n } }))),
      until(() => receiver.received.length - before >= killAfter, { every: 2, timeout: 60_000 }).then(worker.kill),
    ])
    t.ok(
      sent.every(({ status }) => status === 202),
      'all are accepted',
    )
    const next = await stack.startWorkers()
    const ids = sent.map(({ body }) => body.id)
    await until(
      async () =>
        !(await db.exists(sql.type(z.object({ id: z.string() }))`
          select id from webhooks.deliveries where event_id = any(${sql.array(ids, 'uuid')}) and status <> 'delivered'`)),
      { what: 'all are delivered', timeout: 60_000 },
    )
    await next.stop()
    const arrived = Map.groupBy(receiver.received.slice(before), ({ path, event }) => `${path} ${event.n}`)
    t.equal(arrived.size, messages * endpoints, `round ${round}: each message arrives at each endpoint`)
    const twice = [...arrived.values()].filter((all) => all.length > 1).length
    t.ok(twice <= atOnce * endpoints, `${twice} arrive twice`)
    t.ok([...arrived.values()].every((all) => all.length <= 2))
  }
})
