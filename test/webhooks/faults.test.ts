import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { schedule } from '#tasks/webhooks/rules/retry-schedule.ts'
import { wakeOverdue } from '#tasks/webhooks/wake-overdue.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { testReceiver } from './receiver.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t)
const { db, ask } = stack
const receiver = await testReceiver(t)
// An organisation has a quarter: two endpoints at a time.
let workers = await stack.startWorkers({ WEBHOOK_CONCURRENCY: '8' })

const shown = async (id: string) =>
  (await ask('GET /send/v1/webhooks?limit=100')).body.data.find((endpoint: { id: string }) => endpoint.id === id)
const change = (text: ReturnType<typeof sql.fragment>) => db.query(sql.typeAlias('void')`${text}`)
const gone = (id: string) => ask(`DELETE /send/v1/webhooks/${id}`)

t.afterEach(() => {
  receiver.answer = (_, res) => void res.writeHead(204).end()
})

t.test('an event is tried ten times on the schedule, with one id and the time of each attempt', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(500).end('not today')
  const { id } = await stack.add(`${receiver.url}/schedule`)
  await stack.emit('email.sent')
  for (let number = 1; number <= 10; number++) {
    const delivery = await stack.logged(id, ({ attempts }) => attempts === number)
    t.match(delivery, { response_status: 500, response_head: 'not today', error: 'The endpoint returned 500.' })
    const delay = schedule[number]
    if (delay === undefined) {
      t.match(delivery, { status: 'failed', next_attempt_at: null })
      continue
    }
    const waits = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempted_at)
    t.ok(waits >= delay && waits <= delay * 1.2, `attempt ${number + 1} follows after ${waits} ms`)
    await stack.passTime(id)
  }
  const arrived = await receiver.has(10, '/schedule')
  t.equal(new Set(arrived.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.equal(new Set(arrived.map(({ body }) => body)).size, 1)
  for (const { headers, at } of arrived) t.ok(Math.abs(Number(headers['webhook-timestamp']) - at / 1000) < 2)
  t.ok((await shown(id)).failing_since)
  await gone(id)
})

t.test('an endpoint that asks for time gets it, for all that waits for it', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(429, { 'retry-after': '3600' }).end()
  const { id } = await stack.add(`${receiver.url}/busy`)
  await stack.emit('email.sent')
  const delivery = await stack.logged(id, ({ attempts }) => attempts === 1)
  const waits = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempted_at)
  t.ok(waits >= 3_600_000 && waits < 3_700_000, `${waits} ms`)
  await stack.emit('email.delivered')
  await stack.idle()
  t.match(await stack.logged(id, () => true), { type: 'email.delivered', attempts: 0 })
  receiver.answer = (_, res) => void res.writeHead(204).end()
  await stack.passTime(id)
  t.equal((await receiver.has(3, '/busy')).length, 3)
  await stack.logged(id, ({ status }) => status === 'delivered')
  t.equal((await shown(id)).failing_since, null)
  await gone(id)
})

t.test('410 disables an endpoint, the others are notified, and it can be enabled again', async (t) => {
  const other = await stack.add(`${receiver.url}/other`, ['failed'])
  receiver.answer = (req, res) => void res.writeHead(req.url === '/gone' ? 410 : 204).end()
  const { id } = await stack.add(`${receiver.url}/gone`, ['sent'])
  await stack.emit('email.sent')
  const [notice] = await receiver.has(1, '/other')
  const reason = 'The endpoint returned 410 Gone.'
  t.match(notice?.event, { type: 'webhooks.endpoint.disabled', data: { endpoint_id: id, area: 'email', reason } })
  t.match(await shown(id), { status: 'disabled', disabled_reason: reason })
  t.match(await stack.logged(id, () => true), { status: 'failed', response_status: 410, next_attempt_at: null })
  await stack.emit('email.sent')
  t.equal((await ask(`GET /send/v1/webhooks/${id}/deliveries`)).body.data.length, 1)
  const replay = await ask(`POST /send/v1/webhooks/${id}/replay`, { body: { since: '2020-01-01T00:00:00Z' } })
  t.match(replay, { status: 409, body: { error: { code: 'webhook_disabled' } } })
  receiver.answer = (_, res) => void res.writeHead(204).end()
  t.match((await ask(`POST /send/v1/webhooks/${id}/enable`)).body, { status: 'enabled', disabled_reason: null })
  await stack.emit('email.sent')
  await stack.logged(id, ({ status }) => status === 'delivered')
  for (const each of [id, other.id]) await gone(each)
})

t.test('after five days of nothing but failures an endpoint is disabled, with notice', async (t) => {
  const other = await stack.add(`${receiver.url}/notified`, ['failed'])
  receiver.answer = (req, res) => void res.writeHead(req.url === '/hopeless' ? 500 : 204).end()
  const { id } = await stack.add(`${receiver.url}/hopeless`, ['sent'])
  await stack.emit('email.sent')
  await stack.logged(id, ({ attempts }) => attempts === 1)
  await change(sql.fragment`
    update webhooks.endpoints set failing_since = now() - interval '5 days 1 second', failures = 9 where id = ${id}`)
  await stack.passTime(id)
  const [notice] = await receiver.has(1, '/notified')
  t.match(notice?.event.data.reason, /^Nothing was delivered for 5 days\. .*500/)
  t.match(await shown(id), { status: 'disabled' })
  t.match(await stack.logged(id, () => true), { status: 'pending', attempts: 2 }, 'what waits is kept')
  for (const each of [id, other.id]) await gone(each)
})

t.test('no redirect is followed, and no address of the own network is reached', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
  const { id } = await stack.add(`${receiver.url}/moved`)
  await stack.emit('email.sent')
  t.match(await stack.logged(id, ({ attempts }) => attempts === 1), { status: 'pending', response_status: 302 })
  t.same(
    receiver.received.filter(({ path }) => path === '/elsewhere'),
    [],
  )
  // What a name may resolve to later than it was checked.
  await change(sql.fragment`update webhooks.endpoints set url = 'http://127.0.0.2:8080/' where id = ${id}`)
  await stack.passTime(id)
  t.match(await stack.logged(id, ({ attempts }) => attempts === 2), {
    response_status: null,
    error: '127.0.0.2 is not a public address. Only public addresses are allowed.',
  })
  const test = await ask(`POST /send/v1/webhooks/${id}/test`)
  t.match(test.body, { delivered: false, response_status: null, error: /not a public address/ })
  await gone(id)
})

t.test('an endpoint that hangs does not slow another, and holds few connections', async (t) => {
  let [open, most, closed] = [0, 0, 0]
  receiver.answer = (req, res) => {
    if (req.url !== '/hangs') return void res.writeHead(204).end()
    open++
    most = Math.max(most, open)
    res.once('close', () => {
      open--
      closed++
    })
  }
  const hanging = await stack.add(`${receiver.url}/hangs`)
  await stack.emit('email.sent')
  await receiver.has(1, '/hangs')
  const quick = await stack.add(`${receiver.url}/quick`)
  await Promise.all(Array.from({ length: 50 }, (_, i) => stack.emit('email.sent', { i })))
  await receiver.has(50, '/quick')
  t.equal(closed, 0, 'all of them before the first that hangs was given up')
  await until(() => most >= 8)
  t.equal(most, 8)
  for (const { id } of [hanging, quick]) await gone(id)
})

t.test('deliveries are replayed one by one, or since an instant', async (t) => {
  receiver.answer = (_, res) => void res.writeHead(204).end()
  const { id } = await stack.add(`${receiver.url}/again`)
  for (let i = 0; i < 3; i++) await stack.emit('email.sent', { i })
  const first = await receiver.has(3, '/again')
  const log = async () => (await ask(`GET /send/v1/webhooks/${id}/deliveries?status=delivered`)).body.data
  const delivered = await until(async () => ((await log()).length === 3 ? log() : null))
  const one = await ask(`POST /send/v1/webhooks/${id}/deliveries/${delivered[0].id}/replay`)
  t.match(one, { status: 200, body: { id: delivered[0].id, status: 'pending' } })
  const [, , , fourth] = await receiver.has(4, '/again')
  t.equal(fourth?.headers['webhook-id'], delivered[0].event_id)
  await until(async () => (await log()).length === 3)
  await change(sql.fragment`update webhooks.deliveries set status = 'failed' where id = ${delivered[1].id}`)
  const since = new Date((first[0]?.at ?? 0) - 60_000).toISOString()
  const replay = (body: object) => ask(`POST /send/v1/webhooks/${id}/replay`, { body: { since, ...body } })
  t.match(await replay({}), { status: 200, body: { replayed: 1, next_since: null } })
  await receiver.has(5, '/again')
  await until(async () => (await log()).length === 3)
  t.match((await replay({ status: 'all' })).body, { replayed: 3 })
  t.equal((await receiver.has(8, '/again')).length, 8)
  t.match((await replay({ since: '2099-01-01T00:00:00+02:00' })).body, { replayed: 0 })
  await gone(id)
})

t.test('a worker that is killed between request and record delivers again, under the same id', async (t) => {
  receiver.answer = () => {}
  const { id } = await stack.add(`${receiver.url}/crash`)
  await stack.emit('email.sent')
  await receiver.has(1, '/crash')
  await workers.kill()
  receiver.answer = (_, res) => void res.writeHead(204).end()
  workers = await stack.startWorkers()
  const [before, after] = await receiver.has(2, '/crash')
  t.equal(after?.headers['webhook-id'], before?.headers['webhook-id'])
  t.match(await stack.logged(id, ({ status }) => status === 'delivered'), { attempts: 1 })
  t.equal((await receiver.has(2, '/crash')).length, 2)
  await gone(id)
})

t.test('what has lost its job is delivered, and what is old is forgotten', async (t) => {
  const { id } = await stack.add(`${receiver.url}/lost`)
  await workers.stop()
  await stack.emit('email.sent')
  await change(sql.fragment`delete from jobs_webhooks._private_jobs`)
  await change(
    sql.fragment`update webhooks.deliveries set due_at = now() - interval '2 minutes' where endpoint_id = ${id}`,
  )
  await wakeOverdue.run({}, { db } as never)
  await change(sql.fragment`update webhooks.events set created_at = now() - interval '31 days'`)
  const left = () =>
    db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from webhooks.events`)
  await pruneArea(db, 'webhooks')
  t.equal(await left(), 1, 'what still is to be delivered stays')
  workers = await stack.startWorkers()
  await receiver.has(1, '/lost')
  await stack.logged(id, ({ status }) => status === 'delivered')
  await pruneArea(db, 'webhooks')
  t.equal(await left(), 0)
})
