import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { application, event, testRelay, titlesOf } from './application.ts'

const { db } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['notify'] })
const { org, keys } = await testOrg(db, ['notify:write'])
const options = { baseUrl: ingress.url, apiKey: keys.main }

t.test('a committed row is sent with its ID as the key, and a rolled back row is not', async (t) => {
  const app = await application(t)
  await testRelay(t, app, options)
  const client = await app.pool.connect()
  await client.query('begin')
  await client.query('select millrace.enqueue($1, $2)', ['notify.events.create', event('never')])
  await client.query('rollback')
  await client.query('begin')
  const { rows } = await client.query('select millrace.enqueue($1, $2) as id', ['notify.events.create', event('sent')])
  await client.query('commit')
  client.release()
  const [reply] = await until(async () => {
    const replies = await app.column('select reply from millrace.sent where id = $1', [rows[0].id])
    return replies.length > 0 && replies
  })
  t.match(reply, { title: 'sent', subject_user_id: 'ann' })
  t.same(await app.column('select id from millrace.outbox'), [])
  t.same(await titlesOf(db, org.id), ['sent'])
  const again = { key: keys.main, body: event('sent'), headers: { 'idempotency-key': rows[0].id } }
  const { headers } = await ingress.ask('POST /v1/notify/events', again)
  t.equal(headers.get('idempotent-replayed'), 'true')
})

t.test('rows of a key are sent in the order of their calls, through several relays', async (t) => {
  const app = await application(t)
  const users = ['u1', 'u2', 'u3', 'u4']
  for (let i = 0; i < 120; i++) {
    const user = users[i % 4] as string
    await app.enqueue(event(i, user), { key: user })
  }
  for (let i = 0; i < 3; i++) await testRelay(t, app, options)
  for (let i = 120; i < 200; i++) await app.enqueue(event(i, users[i % 4]), { key: users[i % 4] as string })
  await until(async () => (await app.column('select 1 from millrace.outbox')).length === 0)
  for (const [i, user] of users.entries()) {
    const wanted = Array.from({ length: 50 }, (_, n) => String(n * 4 + i))
    t.same(await titlesOf(db, org.id, user), wanted)
  }
})

t.test('a refused row stays with its error, and can be corrected or retried', async (t) => {
  const app = await application(t)
  await testRelay(t, app, options)
  const id = await app.enqueue({ ...event('x', 'refused'), type: 7 }, { key: 'k' })
  await app.enqueue(event('next', 'refused'), { key: 'k' })
  const failure = await until(async () => (await app.pool.query('select * from millrace.failures')).rows[0])
  t.match(failure, { id, operation: 'notify.events.create', status: 400, code: 'bad_request', key: 'k', attempts: 1 })
  t.match(failure.details, [{ field: 'body.type' }])
  await until(async () => (await titlesOf(db, org.id, 'refused')).includes('next'))
  t.same(await app.column('select millrace.retry($1)', [id]), [true])
  await until(async () => (await app.column('select attempts from millrace.failures'))[0] === 2)
  t.same(await app.column('select millrace.discard($1)', [id]), [true])
  t.same(await app.column('select millrace.discard($1)', [id]), [false])
  t.same(await app.column('select millrace.retry($1)', [id]), [false])
})

t.test('with strict, a refused row keeps its key waiting and no other', async (t) => {
  const app = await application(t)
  const id = await app.enqueue({ title: 'x' }, { key: 'k' })
  await app.enqueue(event('second', 'strict'), { key: 'k' })
  await app.enqueue(event('other', 'strict'), { key: 'other' })
  await testRelay(t, app, { ...options, strict: true })
  await until(async () => (await titlesOf(db, org.id, 'strict')).includes('other'))
  await until(async () => (await app.column('select 1 from millrace.failures')).length === 1)
  t.same(await app.column('select key from millrace.waiting'), ['k'])
  await app.column('select millrace.discard($1)', [id])
  await until(async () => (await titlesOf(db, org.id, 'strict')).includes('second'))
})

t.test('a scheduled row is sent at its time, and does not keep its key waiting', async (t) => {
  const app = await application(t)
  await testRelay(t, app, options)
  await app.enqueue(event('later', 'scheduled'), { key: 'k', at: new Date(Date.now() + 3_600_000).toISOString() })
  await app.enqueue(event('soon', 'scheduled'), { key: 'k', at: new Date(Date.now() + 1_500).toISOString() })
  await app.enqueue(event('now', 'scheduled'), { key: 'k' })
  await until(async () => (await titlesOf(db, org.id, 'scheduled')).length === 2)
  t.same(await titlesOf(db, org.id, 'scheduled'), ['now', 'soon'])
  t.match((await app.pool.query('select * from millrace.lag')).rows[0], { scheduled: '1', waiting: '0' })
})

t.test('the relay reports what it does', async (t) => {
  const app = await application(t)
  const seen: number[] = []
  const relay = await testRelay(t, app, { ...options, onMetrics: ({ waiting }) => seen.push(waiting) })
  await app.enqueue(event('counted', 'metrics'))
  await until(() => relay.metrics().accepted['notify.events.create'] === 1)
  t.match(relay.metrics(), { inFlight: 0, problem: undefined, latency: { count: 1 } })
  await until(() => seen.length > 0)
  await relay.stop()
  t.same(await app.column('select id from millrace.relays'), [])
})
