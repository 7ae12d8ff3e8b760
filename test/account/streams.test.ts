import '../support/work-environment.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { emittedTo, madeUp } from '../support/emitted.ts'
import { readGuide } from '../support/guide.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { type Got, startBucket, startReceiver } from './stream-receivers.ts'
import { scopes, streamStack } from './stream-stack.ts'

t.setTimeout(300_000)
const stack = await streamStack(t)
const { ask, db, org } = stack
await stack.startWorkers()

const token = 'the-token-of-splunk-0001'
const splunk = (url: string, more: object = {}) => ({
  kind: 'splunk',
  batch_seconds: 1,
  splunk: { url, token, ...more },
})
const run = (statement: ReturnType<typeof sql.fragment>) => db.query(sql.typeAlias('void')`${statement}`)
// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Any = any

/** Records in requests to the event collector. */
const recordsOf = (got: readonly Got[]): Any[] =>
  got
    .filter(({ body }) => body.length > 0)
    .flatMap(({ body }) => body.toString().split('\n'))
    .map((line) => JSON.parse(line).event)
const numbersOf = (got: readonly Got[]) =>
  recordsOf(got).flatMap(({ type, data }) => (type === 'email.sent' ? [data.n] : []))
const remove = async (id: string) => t.equal((await ask(`DELETE /v1/account/streams/${id}`)).status, 200)
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

await t.test('S3: compressed lines under the day and hour of their first record', async (t) => {
  const bucket = await startBucket(t)
  const { accessKey: access_key_id, secretKey: secret_access_key } = bucket.keys
  const s3 = { ...bucket.at, addressing: 'path', prefix: 'acme/', access_key_id, secret_access_key }
  const stream = await stack.create({ kind: 's3', sources: ['events', 'audit'], batch_seconds: 1, s3 })
  t.match(stream, { status: 'running', sources: ['audit', 'events'], created_by: { kind: 'key' } })
  t.match(stream.settings, { bucket: 'logs', prefix: 'acme/', access_key_id })
  t.notMatch(JSON.stringify(stream), secret_access_key, 'the secret is not returned')
  const tested = await ask(`POST /v1/account/streams/${stream.id}/test`)
  t.match(tested.body, { delivered: true, response_status: 200, error: null }, tested.text)
  await stack.emit(25)
  await stack.settled(stream.id, 'events', ({ sent }) => sent === 25)
  await stack.settled(stream.id, 'audit', ({ sent }) => sent >= 1)
  const keys = await bucket.storage.keys('acme/source=events/')
  for (const key of keys)
    t.match(key, /^acme\/source=events\/date=\d{4}-\d\d-\d\d\/hour=\d\d\/\d{16}-[0-9a-f-]{36}\.ndjson\.gz$/)
  const texts = await Promise.all(keys.map(async (key) => gunzipSync(await bucket.storage.readWhole(key)).toString()))
  const records = texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line))
  t.same(
    records.map(({ data }) => data.n).sort((a, b) => a - b),
    upTo(25),
  )
  t.match(records[0], { source: 'events', type: 'email.sent', organisation_id: org.id, time: /Z$/ })
  const [audit] = await bucket.storage.keys('acme/source=audit/')
  const [first] = gunzipSync(await bucket.storage.readWhole(audit as string))
    .toString()
    .split('\n')
  t.match(JSON.parse(first as string), { type: 'stream.created', data: { target: stream.id, hash: /^[0-9a-f]{64}$/ } })
  const { body } = await ask(`PATCH /v1/account/streams/${stream.id}`, {
    body: { s3: { ...s3, secret_access_key: 'no' } },
  })
  t.match(body, { status: 'running' })
  const wrong = await ask(`POST /v1/account/streams/${stream.id}/test`)
  t.match(wrong.body, { delivered: false, response_status: 403, error: /403 SignatureDoesNotMatch/ }, wrong.text)
  await remove(stream.id)
})

await t.test('Splunk: filters, the request log, and all calls', async (t) => {
  const server = await startReceiver(t)
  const sources = ['events', 'requests']
  const filters = { event_types: ['email.*'], request_classes: [4] }
  const stream = await stack.create({ ...splunk(server.url, { index: 'main' }), sources, ...filters })
  await ask('GET /v1/account/streams/not-an-id')
  await ask('GET /v1/account')
  await stack.emit(3)
  await stack.emit(3, { type: 'push.sent' })
  await stack.settled(stream.id, 'events', ({ sent }) => sent === 3)
  const isLogged = () => recordsOf(server.got).find(({ source }) => source === 'requests')
  t.match(await until(isLogged), { type: 'account.streams.read', data: { status: 404, network: /\/24$/, key_id: /-/ } })
  t.match(server.got[0], { path: '/services/collector/event', headers: { authorization: `Splunk ${token}` } })
  t.match(JSON.parse(server.got[0]?.body.toString().split('\n')[0] as string), {
    host: 'millrace',
    index: 'main',
    sourcetype: '_json',
    time: Number,
  })
  t.same(
    new Set(
      recordsOf(server.got)
        .filter(({ source }) => source === 'events')
        .map(({ type }) => type),
    ),
    new Set(['email.sent']),
  )
  t.ok(
    recordsOf(server.got)
      .filter(({ source }) => source === 'requests')
      .every(({ data }) => data.status >= 400 && data.status < 500),
  )
  server.answer = ({ headers }, res) => void res.writeHead(403).end(`no: ${headers.authorization} ${token}`)
  const tested = await ask(`POST /v1/account/streams/${stream.id}/test`)
  t.match(tested.body, { delivered: false, response_status: 403, response_body: /\[masked\]/ })
  t.notMatch(tested.text, token, 'a server that returns the secret cannot make it visible')
  await stack.emit(1)
  const failing = await until(async () => {
    const found = await stack.read(stream.id)
    return found.status === 'failing' && found
  })
  t.match(failing, { last_error: /returned 403/, failing_since: String })
  t.notMatch(JSON.stringify(failing), token)
  server.answer = (_, res) => void res.writeHead(500).end(`${'x'.repeat(170)} ${token}`)
  const cut = await ask(`POST /v1/account/streams/${stream.id}/test`)
  t.notMatch(cut.text, token.slice(0, 10), 'a shortened error does not contain a part of the secret')
  t.match((await ask(`POST /v1/account/streams/${stream.id}/pause`)).body, { status: 'paused' })
  server.answer = (_, res) => void res.end('{}')
  server.got.length = 0
  t.match((await ask(`POST /v1/account/streams/${stream.id}/resume`)).body, { paused_at: null })
  await stack.settled(stream.id, 'events', ({ sent }) => sent === 4)
  t.match(await stack.read(stream.id), { status: 'running', last_error: /403/ })
  const changed = await ask(`PATCH /v1/account/streams/${stream.id}`, { body: { name: 'b', sources: ['events'] } })
  t.match(changed.body, { name: 'b', sources: ['events'], positions: [{ source: 'events', sent: 4 }] })
  t.match((await ask('GET /v1/account/streams?kind=splunk&source=events')).body.data, [{ id: stream.id }])
  t.same((await ask('GET /v1/account/streams?kind=s3')).body.data, [])
  t.same((await ask('GET /v1/account/streams?source=requests')).body.data, [])
  const other = await testOrg(db, scopes)
  t.equal((await ask(`GET /v1/account/streams/${stream.id}`, { key: other.keys.main })).status, 404)
  t.equal(
    (await ask(`PATCH /v1/account/streams/${stream.id}`, { key: other.keys.main, body: { name: 'x' } })).status,
    404,
  )
  await remove(stream.id)
  const { text } = await ask(`GET /v1/account/audit?target=${stream.id}`)
  for (const action of ['created', 'paused', 'resumed', 'changed', 'deleted']) t.match(text, `stream.${action}`)
  t.notMatch(text, token)
})

await t.test('a record that the server rejects is set aside, but only if the server accepts others', async (t) => {
  const server = await startReceiver(t)
  const stream = await stack.create({ ...splunk(server.url), sources: ['events'] })
  server.answer = ({ body }, res) =>
    void res.writeHead(body.includes('"n":42}') ? 400 : 200).end('{"text":"Invalid data"}')
  await stack.emit(100, { size: 100 })
  await stack.settled(stream.id, 'events', (one) => one.sent === 99 && one.set_aside === 1)
  const { body } = await ask(`GET /v1/account/streams/${stream.id}/rejected?source=events`)
  t.match(body.data, [{ source: 'events', record_id: /-/, reason: /400: \{"text":"Invalid data"\}/ }])
  t.equal(body.data.length, 1)
  server.answer = (_, res) => void res.writeHead(400).end('{"text":"Incorrect index","code":7}')
  await stack.emit(1)
  const failing = await until(async () => {
    const found = await stack.read(stream.id)
    return found.status === 'failing' && found
  })
  t.match(
    failing,
    { last_error: /Incorrect index/, positions: [{ set_aside: 1 }] },
    'a wrong setting sets nothing aside',
  )
  await remove(stream.id)
})

await t.test('records are sent although they commit in another order', async (t) => {
  const server = await startReceiver(t)
  const stream = await stack.create({ ...splunk(server.url), sources: ['events'] })
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const late = db.transaction(async (tx) => {
    await emitMany(tx, [madeUp(org.id, 'email.sent', { n: -1 })])
    open()
    await mayEnd
  })
  await isOpen
  await stack.emit(5)
  await until(() => numbersOf(server.got).length === 5)
  end()
  await late
  await stack.settled(stream.id, 'events', ({ sent }) => sent === 6)
  t.same(numbersOf(server.got), [...upTo(5), -1])
  await remove(stream.id)
})

await t.test('deleted records leave a gap record and a count', async (t) => {
  const server = await startReceiver(t)
  const stream = await stack.create({ ...splunk(server.url), sources: ['events'] })
  await ask(`POST /v1/account/streams/${stream.id}/pause`)
  // One transaction, because a worker that started before the pause may still read.
  await db.transaction(async (tx) => {
    await emitMany(
      tx,
      upTo(10).map((n) => madeUp(org.id, 'email.sent', { n })),
    )
    await tx.query(sql.typeAlias('void')`
      delete from webhooks.events where org_id = ${org.id} and data ->> 'n' in ('3', '4', '9')`)
  })
  await ask(`POST /v1/account/streams/${stream.id}/resume`)
  await stack.settled(stream.id, 'events', (one) => one.sent === 7 && one.lost === 3)
  const kinds = recordsOf(server.got).map(({ type, data }) =>
    type === 'stream.gap' ? `gap of ${data.records}` : data.n,
  )
  t.same(kinds, [0, 1, 2, 'gap of 2', 5, 6, 7, 8, 'gap of 1'])
  await remove(stream.id)
})

await t.test('a long failure and its end are reported', async (t) => {
  const server = await startReceiver(t)
  const stream = await stack.create({ ...splunk(server.url), sources: ['events'] })
  server.answer = (_, res) => void res.writeHead(503).end()
  await stack.emit(1)
  await until(async () => (await stack.read(stream.id)).status === 'failing')
  await run(
    sql.fragment`update account.log_streams set failing_since = now() - interval '16 minutes' where id = ${stream.id}`,
  )
  await ask(`POST /v1/account/streams/${stream.id}/resume`)
  const told = (type: string) => emittedTo(org.id).filter((event) => event.type === type)
  await until(() => told('account.stream.failing').length > 0)
  server.answer = (_, res) => void res.end('{}')
  await ask(`POST /v1/account/streams/${stream.id}/resume`)
  await until(() => told('account.stream.recovered').length > 0)
  t.match(told('account.stream.failing'), [{ data: { stream_id: stream.id, error: /503/ } }])
  t.equal(told('account.stream.failing').length, 1)
  await stack.settled(stream.id, 'events', ({ sent }) => sent >= 1)
  await remove(stream.id)
})

await t.test('a server that sends its response byte by byte delays only its own stream', async (t) => {
  const slow = await startReceiver(t)
  slow.answer = async (_, res) => {
    res.writeHead(200)
    while (!res.destroyed) {
      res.write('x')
      await pause(200)
    }
  }
  const quick = await startReceiver(t)
  const first = await stack.create({ ...splunk(slow.url), sources: ['events'] })
  const second = await stack.create({ ...splunk(quick.url), sources: ['events'] })
  await stack.emit(10)
  await stack.settled(second.id, 'events', ({ sent }) => sent === 10)
  await stack.settled(first.id, 'events', ({ sent }) => sent === 10)
  t.same(numbersOf(slow.got), upTo(10), 'the status is enough, so nothing is sent twice')
  await remove(first.id)
  await remove(second.id)
})

await t.test('a closed organisation sends nothing', async (t) => {
  const server = await startReceiver(t)
  const stream = await stack.create({ ...splunk(server.url), sources: ['events'] })
  await run(sql.fragment`
    insert into account.closures (id, org_id, requested_by_kind, due_at)
    values (gen_random_uuid(), ${org.id}, 'operator', now() + interval '1 day')`)
  await stack.emit(1)
  const { keys } = await testOrg(db, scopes)
  const other = (request: string, body?: object) =>
    stack.ingress.ask(request, { key: keys.main, ...(body && { body }) })
  const own = await startReceiver(t)
  const theirs = await other('POST /v1/account/streams', { name: 'x', ...splunk(own.url), sources: ['audit'] })
  t.equal(theirs.status, 201, theirs.text)
  await until(() => own.got.length > 0, { what: 'the stream of another organisation sends' })
  t.equal(server.got.length, 0)
  await run(sql.fragment`delete from account.closures where org_id = ${org.id}`)
  await stack.settled(stream.id, 'events', ({ sent }) => sent >= 1)
  await remove(stream.id)
})

await t.test('who can create a stream, and what is invalid', async (t) => {
  const { keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, few: { prefix: 'bt_live_', scopes: ['account:webhooks'] } },
  })
  const make = (key: string, body: object) => ask('POST /v1/account/streams', { key, body: { name: 'x', ...body } })
  const url = 'https://example.com'
  for (const source of ['audit', 'requests']) {
    const { status, text } = await make(keys.few, { ...splunk(url), sources: ['events', source] })
    t.equal(status, 403)
    t.match(text, /does not have the `account:(audit|logs)` scope/)
  }
  const made = await make(keys.main, { ...splunk(url), sources: ['audit'] })
  const steered = await ask(`PATCH /v1/account/streams/${made.body.id}`, {
    key: keys.few,
    body: splunk('https://example.org'),
  })
  t.equal(steered.status, 400, 'the kind cannot be changed')
  const { kind: _, ...settings } = splunk('https://example.org')
  const moved = await ask(`PATCH /v1/account/streams/${made.body.id}`, { key: keys.few, body: settings })
  t.equal(moved.status, 403, 'a key that cannot read the audit log cannot send it elsewhere')
  const faults = async (body: object) => {
    const made = await make(keys.main, { sources: ['events'], ...body })
    return made.status === 400 ? fieldsOf(made) : `${made.status} ${JSON.stringify(body)}`
  }
  t.same(await faults({ kind: 's3' }), ['body.s3'])
  t.same(await faults({ ...splunk(url), s3: {} }), [
    'body.s3.access_key_id',
    'body.s3.bucket',
    'body.s3.region',
    'body.s3.secret_access_key',
  ])
  t.same(await faults({ ...splunk(url, { token: 'a b' }), sources: [], event_types: ['no'], request_classes: [9] }), [
    'body.event_types.0',
    'body.request_classes.0',
    'body.sources',
    'body.splunk.token',
  ])
  for (const bad of [
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'https://[::1]:8088',
    'ftp://example.com',
    'https://a:b@example.com',
  ])
    t.same(await faults(splunk(bad)), ['body.splunk.url'], bad)
  const syslog = (more: object) => ({ kind: 'syslog', syslog: { host: 'logs.example.com', ...more } })
  t.same(await faults(syslog({ host: '192.168.0.1' })), ['body.syslog.host'])
  t.same(await faults(syslog({ port: 25 })), ['body.syslog.port'])
  t.same(await faults(syslog({ ca_certificate: 'no', facility: 24 })), [
    'body.syslog.ca_certificate',
    'body.syslog.facility',
  ])
  const otlp = (more: object) => ({ kind: 'otlp', otlp: { url, ...more } })
  for (const name of ['Host', 'Keep-Alive'])
    t.same(await faults(otlp({ headers: { [name]: 'x' } })), ['body.otlp.headers'], name)
  t.same(await faults(otlp({ encoding: 'xml' })), ['body.otlp.encoding'])
  const plan = (await plans.list(db)).find(({ name }) => name === 'free') ?? (await plans.list(db))[0]
  await plans.put(db, { ...(plan as plans.Plan), name: 'one stream', log_streams: 1 })
  const poor = await testOrg(db, scopes, { plan: 'one stream' })
  t.equal((await make(poor.keys.main, { ...splunk(url), sources: ['events'] })).status, 201)
  t.match(await make(poor.keys.main, { ...splunk(url), sources: ['events'] }), {
    status: 409,
    body: { error: { code: 'stream_limit' } },
  })
})

await t.test('the guide', async (t) => {
  const guide = await readGuide('ingress/docs/site/pages/log-streams.md')
  const [step] = await runGuide(guide, { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key })
  t.match(step?.json, { kind: 's3', settings: { endpoint: 'https://s3.eu-north-1.amazonaws.com' } })
  await remove(step?.json.id)
})
