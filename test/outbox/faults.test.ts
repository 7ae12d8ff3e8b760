import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { until } from '../support/until.ts'
import { type Application, application, event, testRelay } from './application.ts'

interface Asked {
  title: string
  id: string
  authorization: string
  path: string
}

type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void

/** A server whose responses a test decides. It causes faults that Millrace does not have. */
async function faultyServer(t: Test, answer: Answer): Promise<{ url: string; asked: Asked[]; titles(): string[] }> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { 'idempotency-key': id, authorization = '' } = request.headers
    const one = { title: JSON.parse(text || '{}').title, id: String(id), authorization, path: request.url ?? '' }
    asked.push(one)
    answer(one, response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked, titles: () => asked.map(({ title }) => title) }
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const fault = (code: string, details?: unknown) => ({ error: { code, message: `It is ${code}.`, details } })

const accept = (response: ServerResponse) => json(response, 200, { id: 'x' })

const awake = `select count(*)::int from pg_locks where locktype = 'advisory' and classid = 1299727986 and granted
  and mode = 'ExclusiveLock' and database = (select oid from pg_database where datname = current_database())`

const sent = async (app: Application) => (await app.column('select 1 from millrace.sent')).length

t.test('a limit of one recipient delays only its row, and keeps the order of its key', async (t) => {
  let limited = 2
  const server = await faultyServer(t, ({ title }, response) => {
    if (title === 'a1' && limited-- > 0) json(response, 429, fault('too_early'), { 'retry-after': '1' })
    else accept(response)
  })
  const app = await application(t)
  for (const title of ['a1', 'a2', 'a3']) await app.enqueue(event(title), { key: 'a' })
  await app.enqueue(event('b1'))
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await sent(app)) === 4)
  t.same(
    server.titles().filter((title) => title.startsWith('a')),
    ['a1', 'a1', 'a1', 'a2', 'a3'],
  )
  t.equal(new Set(server.asked.filter(({ title }) => title === 'a1').map(({ id }) => id)).size, 1)
  t.ok(server.titles().indexOf('b1') < server.titles().lastIndexOf('a1'))
})

t.test('a limit of an operation pauses it, and other operations continue', async (t) => {
  let limited = true
  const server = await faultyServer(t, ({ path }, response) => {
    if (path.startsWith('/v1/sms') && limited) json(response, 429, fault('rate_limited'), { 'retry-after': '2' })
    else accept(response)
  })
  const app = await application(t)
  for (let i = 0; i < 200; i++) await app.enqueue({ title: 's' }, { operation: 'sms.messages.create' })
  for (let i = 0; i < 20; i++) await app.enqueue(event('n'))
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await sent(app)) === 20)
  t.ok(server.titles().filter((title) => title === 's').length <= 64, 'most rows were not sent')
  t.match((await app.pool.query('select waiting, failed from millrace.lag')).rows[0], { waiting: '200', failed: '0' })
  limited = false
  await until(async () => (await sent(app)) === 220)
})

t.test('rows wait while the server is unavailable, is something else, or rejects the key', async (t) => {
  const answers: Answer[] = [
    (_, response) => json(response, 401, fault('unauthorized')),
    (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    (_, response) => response.writeHead(502).end('bad gateway'),
    (_, __, request) => request.socket.destroy(),
    (_, response) => json(response, 503, fault('unavailable'), { 'retry-after': '1' }),
    (_, response) => json(response, 500, fault('server_error')),
  ]
  let current: Answer = (_, response) => accept(response)
  const server = await faultyServer(t, (...given) => current(...given))
  const app = await application(t)
  const relay = await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  for (const [i, answer] of answers.entries()) {
    current = answer
    const before = server.asked.length
    for (let n = 0; n < 10; n++) await app.enqueue(event(`${i}.${n}`), { key: `k${n % 3}` })
    await until(() => server.asked.length > before + 1 && relay.logs.length === Math.min(i + 1, 5))
    t.same(await app.column('select 1 from millrace.failures'), [], `answer ${i}`)
    current = (_, response) => accept(response)
    await until(async () => (await sent(app)) === (i + 1) * 10, { what: `the rows of answer ${i} are sent` })
  }
  t.equal(relay.metrics().problem, undefined)
  t.match(
    relay.logs.map(({ message }) => message),
    [/It is unauthorized/, /returned 404/, /returned 302/, /returned 502/, /did not respond/],
  )
})

t.test('a row that the server cannot read does not keep others waiting', async (t) => {
  const server = await faultyServer(t, ({ title }, response, request) => {
    if (title === 'poison') request.socket.destroy()
    else accept(response)
  })
  const app = await application(t)
  await app.enqueue(event('poison'))
  for (let i = 0; i < 30; i++) await app.enqueue(event(i))
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await sent(app)) === 30)
  t.match((await app.pool.query('select code, attempts from millrace.waiting')).rows, [{ code: 'no_response' }])
})

t.test('a request without a response is repeated with the same key', async (t) => {
  let silent = true
  const server = await faultyServer(t, (_, response) => {
    if (silent) silent = false
    else accept(response)
  })
  const app = await application(t)
  const id = await app.enqueue(event('slow'))
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k', timeoutMs: 500 })
  await until(async () => (await sent(app)) === 1)
  t.same(
    server.asked.map((one) => one.id),
    [id, id],
  )
})

t.test('an attempt without a result is not repeated after 23 hours, but reported', async (t) => {
  const server = await faultyServer(t, (_, response) => accept(response))
  const app = await application(t)
  const [old, recent] = [await app.enqueue(event('old')), await app.enqueue(event('recent'))]
  const mark = `update millrace.outbox set attempts = 1, uncertain_since = now() - $2::interval where id = $1`
  await app.column(mark, [old, '23 hours 1 minute'])
  await app.column(mark, [recent, '22 hours'])
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await app.column('select 1 from millrace.failures')).length === 1)
  t.match((await app.pool.query('select * from millrace.failures')).rows, [{ id: old, code: 'result_unknown' }])
  await until(async () => (await sent(app)) === 1)
  t.same(server.titles(), ['recent'])
  await app.column('select millrace.retry($1)', [old])
  await until(() => server.titles().includes('old'))
})

t.test('a certain refusal does not make the result of a row unknown, and a timeout does', async (t) => {
  const server = await faultyServer(t, ({ title }, response) => {
    if (title === 'limited') json(response, 429, fault('too_early'), { 'retry-after': '60' })
  })
  const app = await application(t)
  await app.enqueue(event('limited'))
  await app.enqueue(event('silent'))
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k', timeoutMs: 300 })
  await until(async () => (await app.column('select 1 from millrace.waiting where code is not null')).length === 2)
  const read = `select body->>'title' from millrace.outbox where uncertain_since is not null`
  t.same(await app.column(read), ['silent'])
})

t.test('rows of a relay that stops go to another relay immediately', async (t) => {
  const server = await faultyServer(t, ({ title, authorization }, response) => {
    if (title !== 'first' || authorization.endsWith('two')) accept(response)
    else setTimeout(() => accept(response), 500)
  })
  const app = await application(t)
  for (const title of ['first', 'second', 'third']) await app.enqueue(event(title), { key: 'k' })
  const relay = await testRelay(t, app, { baseUrl: server.url, apiKey: 'one' })
  await until(() => server.asked.length === 1)
  await relay.stop()
  t.same(await app.column('select attempts from millrace.outbox order by seq'), [0, 0])
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'two' })
  await until(async () => (await sent(app)) === 3, { timeout: 5_000 })
  t.same(server.titles(), ['first', 'second', 'third'])
})

t.test('a lost connection to the database is replaced, and no result is lost', async (t) => {
  const server = await faultyServer(t, (_, response) => void setTimeout(() => accept(response), 20))
  const app = await application(t)
  const relay = await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) await app.enqueue(event(`${round}.${i}`))
    await app.column(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  await until(async () => (await sent(app)) === 100)
  await until(() => relay.metrics().accepted['notify.events.create'] === 100, { what: 'each is counted once' })
  await app.enqueue(event('after'))
  await until(async () => (await sent(app)) === 101)
})

t.test('transactions that overlap have no order, and later ones follow', async (t) => {
  const server = await faultyServer(t, (_, response) => accept(response))
  const app = await application(t)
  const [early, late] = [await app.pool.connect(), await app.pool.connect()]
  const text = 'select millrace.enqueue($1, $2, key => $3)'
  await early.query('begin')
  await early.query(text, ['notify.events.create', event('early, committed last'), 'k'])
  await late.query(text, ['notify.events.create', event('late, committed first'), 'k'])
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await sent(app)) === 1)
  await early.query('commit')
  await late.query(text, ['notify.events.create', event('after both'), 'k'])
  await until(async () => (await sent(app)) === 3)
  t.same(server.titles(), ['late, committed first', 'early, committed last', 'after both'])
  early.release()
  late.release()
})

t.test('while a relay polls, enqueue does not notify; while it sleeps, a notification wakes it', async (t) => {
  const server = await faultyServer(t, (_, response) => accept(response))
  const app = await application(t)
  const listener = await app.pool.connect()
  let notified = 0
  listener.on('notification', () => notified++)
  await listener.query('listen millrace_outbox')
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await app.enqueue(event('awake'))
  await until(async () => (await app.column(awake))[0] === 1)
  await listener.query('select 1')
  const before = notified
  for (let i = 0; i < 50; i++) await app.enqueue(event(i))
  await listener.query('select 1')
  t.equal(notified, before)
  await until(async () => (await app.column(awake))[0] === 0)
  await app.enqueue(event('asleep'))
  await until(() => notified === before + 1)
  await until(async () => (await sent(app)) === 52)
  listener.release(true)
})

t.test('a transaction that stays open does not make the commits of others notify', async (t) => {
  const server = await faultyServer(t, (_, response) => accept(response))
  const app = await application(t)
  const slow = await app.pool.connect()
  await slow.query('begin')
  await slow.query('select millrace.enqueue($1, $2)', ['notify.events.create', event('slow')])
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await app.enqueue(event('fast'))
  await until(async () => (await app.column(awake))[0] === 1, { what: 'the relay says that it polls' })
  await slow.query('commit')
  slow.release()
  await until(async () => (await sent(app)) === 2)
})

t.test('after an outage, a row with many attempts is sent as soon as the server responds', async (t) => {
  let isDown = true
  const server = await faultyServer(t, (_, response, request) => {
    if (isDown) request.socket.destroy()
    else accept(response)
  })
  const app = await application(t)
  await app.enqueue(event('first'), { key: 'k' })
  await app.column('update millrace.outbox set attempts = 12')
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  // The relay tests the connection at least every 5 seconds, also with the only row that it has.
  await until(() => server.asked.length >= 6, { timeout: 25_000, what: 'the relay tests the connection' })
  isDown = false
  await until(async () => (await sent(app)) === 1, { timeout: 8_000 })
})

t.test('without a session, a relay polls', async (t) => {
  const server = await faultyServer(t, (_, response) => accept(response))
  const app = await application(t)
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k', session: false })
  await app.enqueue(event('x'))
  await until(async () => (await sent(app)) === 1)
})

t.test('replies that Postgres cannot store, and large bodies, do not keep rows from being sent', async (t) => {
  const server = await faultyServer(t, ({ title }, response) => {
    if (title === 'nul') response.writeHead(200).end('{"a":"\\u0000"}')
    else if (title === 'large') response.writeHead(200).end(JSON.stringify({ a: 'x'.repeat(2_000_000) }))
    else if (title === 'deep') response.writeHead(200).end('['.repeat(200_000) + ']'.repeat(200_000))
    else if (title === 'text') response.writeHead(200).end('fine')
    else accept(response)
  })
  const app = await application(t)
  for (const title of ['nul', 'large', 'deep', 'text']) await app.enqueue(event(title))
  await app.enqueue({ ...event('big'), body: 'y'.repeat(900_000) })
  await testRelay(t, app, { baseUrl: server.url, apiKey: 'k' })
  await until(async () => (await sent(app)) === 5)
  t.same(await app.column('select reply from millrace.sent where reply is not null'), [{ id: 'x' }])
})
