import { createServer } from 'node:net'
import t from 'tap'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { environmentOf, startCollector } from '../support/collector.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { ask, ingressProcess } from '../support/ingress.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { module } from './relays.ts'
import { effects, installEffects, plain } from './work.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

t.test('an unsampled request leaves no span, and its jobs neither', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const collector = await startCollector(t)
  environmentOf(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const base = await ingressProcess(t, url, module)
  const worker = await startWorker(t, url)
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` }
  await ask(base, 'POST /v1/relays/start', { body: { name: 'quiet' }, headers })
  await until(async () => (await effects(db, 'quiet')).some(({ phase }) => phase === 'end'))
  worker.process.kill('SIGTERM')
  await worker.ended
  t.strictSame(
    collector.spans.filter(({ name }) => name.startsWith('test/')),
    [],
  )
})

t.test('a collector that is away, or takes and never answers, costs no job and no shutdown', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const deaf = createServer().listen(0, '127.0.0.1')
  await until(() => deaf.listening)
  t.teardown(() => deaf.close())
  const { port } = deaf.address() as { port: number }
  for (const at of [port, await freePort()]) {
    environmentOf(t, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${at}` })
    const worker = await startWorker(t, url)
    await enqueue(db, plain, { name: `at ${at}` })
    await until(async () => (await effects(db, `at ${at}`)).some(({ phase }) => phase === 'end'))
    worker.process.kill('SIGTERM')
    t.equal(await worker.ended, 0)
  }
})
