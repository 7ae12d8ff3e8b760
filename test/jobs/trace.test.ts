import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { environmentOf, type Span, startCollector } from '../support/collector.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { ask, ingressProcess } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { areas, module } from './relays.ts'
import { effects, installEffects, plain } from './work.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const [start, together] = areas.flatMap(({ operations }) => operations.map(({ id }) => id))
const [server, producer, consumer] = [2, 4, 5]

t.test('one trace goes from the request through its job to the job’s job', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const collector = await startCollector(t)
  environmentOf(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two,authorization=Basic abc=',
    OTEL_SERVICE_NAME: 'our-millrace',
  })
  const base = await ingressProcess(t, url, module)
  const worker = await startWorker(t, url)
  const named = (trace: string, name: string) =>
    until(() => collector.spans.find((span) => span.traceId === trace && span.name === name), { what: name })

  /** Returns the spans of a trace from the request to its last job. Checks that each is the parent of the next. */
  async function chain(trace: string, names: string[]): Promise<Span[]> {
    const spans: Span[] = []
    for (const name of names) spans.push(await named(trace, name))
    for (const [i, span] of spans.entries()) if (i > 0) t.equal(span.parentSpanId, spans[i - 1]?.spanId, span.name)
    return spans
  }

  const relayed = ['enqueue test/relay', 'test/relay', 'enqueue test/plain', 'test/plain']
  const headers = { traceparent, 'x-request-id': 'request-traced' }
  t.equal((await ask(base, 'POST /v1/relays/start', { body: { name: 'relayed' }, headers })).status, 202)
  const spans = await chain(traceId, [`${start}`, ...relayed])
  t.equal(spans[0]?.parentSpanId, '00f067aa0ba902b7', 'under the client’s own span')
  t.strictSame(
    spans.map(({ kind }) => kind),
    [server, producer, consumer, producer, consumer],
  )
  t.match(spans[0]?.attributes, { 'http.route': '/v1/relays/start', 'http.response.status_code': 202 })
  t.match(spans[4]?.attributes, { 'millrace.task': 'test/plain', 'millrace.outcome': 'done' })
  t.ok(collector.resources.every((resource) => resource['service.name'] === 'our-millrace'))
  t.match(collector.headers, { 'x-tenant': 'one two', authorization: 'Basic abc=' })

  const alone = await ask(base, 'POST /v1/relays/start', { body: { name: 'new' }, headers: { traceparent: 'junk' } })
  t.equal(alone.status, 202)
  const begun = await until(() => collector.spans.find((s) => s.traceId !== traceId && s.name === start))
  t.notOk(begun.parentSpanId, 'a faulty traceparent begins a trace')
  await chain(begun.traceId, [`${start}`, ...relayed])

  const others = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
  await Promise.all(
    others.map((id) =>
      ask(base, 'POST /v1/relays/together', {
        body: { name: id },
        headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` },
      }),
    ),
  )
  for (const id of others) await chain(id, [`${together}`, ...relayed.slice(1)])

  await enqueue(db, plain, { name: 'never', how: 'permanent' })
  const failed = await until(() => collector.spans.find(({ status }) => status.code === 2))
  t.match(failed, { name: 'test/plain', status: { message: 'never' }, attributes: { 'millrace.outcome': 'failed' } })

  await enqueue(db, plain, { name: 'last' })
  await until(async () => (await effects(db, 'last')).some(({ phase }) => phase === 'end'))
  const ofPlain = () => collector.spans.filter(({ name }) => name === 'test/plain').length
  worker.process.kill('SIGTERM')
  t.equal(await worker.ended, 0)
  t.equal(ofPlain(), 7, 'what was left was sent before the process ended')
  const line = worker.lines
    .map((text) => parsed(text))
    .find(({ msg, name }) => msg === 'relaying' && name === 'relayed')
  t.equal(line?.trace_id, traceId, 'its log lines carry the trace')
})

t.test('without a collector no job carries a trace', async (t) => {
  const { url, db } = await testDatabase(t)
  const base = await ingressProcess(t, url, module)
  await ask(base, 'POST /v1/relays/start', { body: { name: 'untraced' }, headers: { traceparent } })
  const payload = await db.oneFirst(sql.type(z.object({ payload: z.record(z.string(), z.unknown()) }))`
    select payload from jobs_core._private_jobs`)
  t.notOk('trace' in payload)
})

function parsed(line: string): Record<string, unknown> {
  return line.startsWith('{') ? JSON.parse(line) : {}
}
