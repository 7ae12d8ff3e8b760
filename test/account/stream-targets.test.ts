import '../support/work-environment.ts'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import protobuf from 'protobufjs'
import t from 'tap'
import { z } from 'zod'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { madeUp } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { makeCertificate } from './stream-certificate.ts'
import { startReceiver } from './stream-receivers.ts'
import { streamStack } from './stream-stack.ts'

t.setTimeout(300_000)
const stack = await streamStack(t)
const { ask, db, org } = stack
await stack.startWorkers()
const stopped = async (id: string) => t.equal((await ask(`DELETE /v1/account/streams/${id}`)).status, 200)

/** The parts of `opentelemetry/proto/collector/logs/v1` that are sent, by their numbers in the specification. */
const schema = protobuf
  .parse(`
  syntax = "proto3";
  message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; }
  message Scope { string name = 1; }
  message LogRecord {
    fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
    repeated KeyValue attributes = 6; fixed64 observed_time_unix_nano = 11; string event_name = 12;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
      ArrayValue array_value = 5; KeyValueList kvlist_value = 6; }
  }
  message ArrayValue { repeated AnyValue values = 1; }
  message KeyValueList { repeated KeyValue values = 1; }`)
  .root.lookupType('ExportLogsServiceRequest')

const Attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])))
const Request = z.object({
  resourceLogs: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeLogs: z.array(
        z.object({
          logRecords: z.array(
            z.object({
              timeUnixNano: z.string().regex(/^\d{19}$/),
              severityText: z.enum(['INFO', 'WARN', 'ERROR']),
              body: z.object({ kvlistValue: z.object({ values: Attributes }) }),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
})

for (const encoding of ['json', 'protobuf'] as const) {
  await t.test(`OTLP as ${encoding}`, async (t) => {
    const server = await startReceiver(t)
    const headers = { Authorization: 'Bearer secret-of-the-collector' }
    const otlp = { url: `${server.url}/v1/logs`, encoding, headers }
    const stream = await stack.create({ kind: 'otlp', sources: ['events'], batch_seconds: 1, otlp })
    t.same(stream.settings, { url: otlp.url, encoding, header_names: ['Authorization'] })
    if (encoding === 'protobuf')
      server.answer = (_, res) => void res.setHeader('content-type', 'application/x-protobuf').end()
    await stack.emit(5)
    await stack.settled(stream.id, 'events', ({ sent }) => sent === 5)
    const records = server.got.flatMap(({ path, headers: sent, body }) => {
      t.match({ path, ...sent }, { path: '/v1/logs', authorization: headers.Authorization })
      const plain =
        encoding === 'json' ? JSON.parse(body.toString()) : schema.toObject(schema.decode(body), { longs: String })
      const { resourceLogs } = Request.parse(plain)
      t.match(resourceLogs[0]?.resource.attributes, { 'service.name': 'millrace', 'millrace.organisation.id': org.id })
      return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    })
    t.same(
      records.map(({ body }) => Number(body.kvlistValue.values.n)),
      [0, 1, 2, 3, 4],
    )
    t.equal(new Set(records.map(({ attributes }) => attributes['log.record.uid'])).size, 5)
    t.match(records[0]?.attributes, { 'millrace.source': 'events', 'millrace.type': 'email.sent' })
    await stopped(stream.id)
  })
}

await t.test('OTLP: records that the collector drops are counted and not sent again', async (t) => {
  const server = await startReceiver(t)
  const otlp = { url: `${server.url}/v1/logs`, encoding: 'json' }
  const stream = await stack.create({ kind: 'otlp', sources: ['events'], batch_seconds: 1, otlp })
  const partialSuccess = { rejectedLogRecords: '2', errorMessage: 'too old' }
  server.answer = (_, res) =>
    void res.setHeader('content-type', 'application/json').end(JSON.stringify({ partialSuccess }))
  await stack.emit(5)
  await stack.settled(stream.id, 'events', (one) => one.sent === 3 && one.set_aside === 2)
  const { body } = await ask(`GET /v1/account/streams/${stream.id}/rejected`)
  t.match(body.data, [{ record_id: '2 of 5 records', reason: /too old/ }])
  t.equal(server.got.length, 1)
  await stopped(stream.id)
})

await t.test('OTLP: a record that cannot be converted does not stop the stream', async (t) => {
  const server = await startReceiver(t)
  const otlp = { url: `${server.url}/v1/logs`, encoding: 'json' }
  const stream = await stack.create({ kind: 'otlp', sources: ['events'], batch_seconds: 1, otlp })
  const nested = Array.from({ length: 2_500 }).reduce<object>((inner) => ({ inner }), {})
  await db.transaction((tx) =>
    emitMany(
      tx,
      [{ n: 0 }, { n: 1, nested }, { n: 2 }].map((data) => madeUp(org.id, 'email.sent', data)),
    ),
  )
  await stack.settled(stream.id, 'events', (one) => one.sent === 2 && one.set_aside === 1)
  const { body } = await ask(`GET /v1/account/streams/${stream.id}/rejected`)
  t.match(body.data, [{ reason: /nested too deeply/ }])
  await stopped(stream.id)
})

/** Parses frames of RFC 5425 §4.3 with messages of RFC 5424 §6. Throws at anything else. */
function parseFrames(text: string) {
  const messages = []
  for (let rest = text; rest !== ''; ) {
    const [head = '', length] = /^([1-9]\d{0,5}) /.exec(rest) ?? []
    if (length === undefined) throw new Error(`no frame: ${rest.slice(0, 50)}`)
    const message = rest.slice(head.length, head.length + Number(length))
    if (Buffer.byteLength(message) !== Number(length)) throw new Error('the frame is too short')
    const parts =
      /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) \[([!-~]{1,32}@\d+)((?: [!-~]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] (.*)$/s.exec(
        message,
      )
    if (!parts) throw new Error(`no message of RFC 5424: ${message}`)
    const [, priority, , host, app, , id, element, , json = ''] = parts
    messages.push({ priority: Number(priority), host, app, id, element, record: JSON.parse(json) })
    rest = rest.slice(head.length + Number(length))
  }
  return messages
}

await t.test('syslog over TLS', async (t) => {
  const { key, cert, ca } = await makeCertificate(t)
  const texts: string[] = []
  let breaks = true
  let last: Socket | undefined
  const server = createServer({ key, cert }, (socket) => {
    socket.on('error', () => undefined)
    if (breaks) return void socket.once('data', () => last?.resetAndDestroy())
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => texts.push(Buffer.concat(chunks).toString()))
  })
  // A TLS socket cannot send a reset itself.
  server.on('connection', (socket) => {
    last = socket
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => void server.close())
  const at = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const stream = await stack.create({
    kind: 'syslog',
    sources: ['events'],
    batch_seconds: 1,
    syslog: { ...at, ca_certificate: ca },
  })
  await stack.emit(3, { type: 'email.sent' })
  await until(async () => (await stack.read(stream.id)).status === 'failing', {
    what: 'a broken connection is a failure',
  })
  breaks = false
  await ask(`POST /v1/account/streams/${stream.id}/resume`)
  await stack.settled(stream.id, 'events', ({ sent }) => sent === 3)
  // The connection ends after the worker has sent the batch.
  const messages = await until(() => texts.length > 0 && texts.flatMap(parseFrames), { what: 'the connection ends' })
  t.same(
    messages.map(({ record }) => record.data.n),
    [0, 1, 2],
  )
  t.match(messages[0], {
    priority: 13 * 8 + 6,
    host: 'millrace',
    app: 'millrace',
    id: 'email.sent',
    element: 'millrace@32473',
  })
  const unknown = await ask(`PATCH /v1/account/streams/${stream.id}`, { body: { syslog: at } })
  t.equal(unknown.status, 200, unknown.text)
  const tested = await ask(`POST /v1/account/streams/${stream.id}/test`)
  t.match(
    tested.body,
    { delivered: false, error: /TLS connection failed/ },
    'the certificate of an unknown authority is rejected',
  )
  await stopped(stream.id)
})
