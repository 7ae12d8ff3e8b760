import { connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import t from 'tap'
import { area } from '../../ingress/http/area.ts'
import { provide } from '../../ingress/http/container.ts'
import { type EventStream, formatEvent, lastEventId, openEventStream } from '../../ingress/http/event-stream.ts'
import { route } from '../../ingress/http/route.ts'
import { stopping } from '../../ingress/http/services.ts'
import { openSource } from '../notify/event-source.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const ending = new AbortController()
const opened: EventStream[] = []
const sockets: (Socket | null)[] = []
const watch = route({
  method: 'GET',
  path: '/stream',
  summary: 'Watch',
  public: true,
  status: 200,
  raw: 'text/event-stream',
  async handle({ ctx, services }) {
    sockets.push(ctx.res.socket)
    opened.push(openEventStream(ctx, { stopping: services(stopping), retryMs: 1_234 }))
  },
})
const probe = area({ name: 'probe', title: '', description: '', base: '/probe', routes: { stream: { watch } } })
// Must run before the first stream, which starts the interval.
mock.timers.enable({ apis: ['setInterval'] })
t.teardown(() => {
  // The interval of all streams ends at a beat without streams.
  mock.timers.tick(1_000)
  mock.timers.reset()
})
const ingress = await testIngress(t, db, [probe], { only: [], services: [provide(stopping, ending.signal)] })
const url = `${ingress.url}/probe/stream`

t.test('an event is one block of lines, whatever its data holds', async (t) => {
  t.equal(formatEvent('item', { a: 'x\n\ny' }, 7), 'id: 7\nevent: item\ndata: {"a":"x\\n\\ny"}\n\n')
  t.equal(formatEvent('item', null), 'event: item\ndata: null\n\n')
})

t.test('the header of a client that comes back goes before the query of its first visit', async (t) => {
  t.equal(lastEventId('12', '3'), 12)
  t.equal(lastEventId(undefined, '3'), 3)
  t.equal(lastEventId('', ''), undefined)
  for (const none of ['x', '-1', '1.5', '9'.repeat(16)]) t.ok(Number.isNaN(lastEventId(none, undefined)), none)
})

t.test('a silent stream gets a comment every 15 seconds, each in a second of its own', async (t) => {
  const sources = await Promise.all(Array.from({ length: 15 }, () => openSource(t, url)))
  await until(() => sources.every(({ lines }) => lines.length === 1))
  const beaten = () => sources.filter(({ lines }) => lines.includes(':')).length
  mock.timers.tick(1_000)
  await until(() => beaten() === 1)
  mock.timers.tick(14_000)
  await until(() => beaten() === 15)
  t.ok(sources.every(({ lines }) => lines[0] === 'retry: 1234' && lines.length === 2))
  for (const source of sources) source.close()
  await until(() => opened.every(({ ended }) => ended), { what: 'a client that goes ends its stream' })
})

t.test('a client that does not read is cut off when a megabyte waits for it; the others go on', async (t) => {
  const before = opened.length
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => slow.destroy())
  slow.on('error', () => {})
  slow.pause().write('GET /probe/stream HTTP/1.1\r\nhost: x\r\n\r\n')
  await until(() => opened.length === before + 1)
  const source = await openSource(t, url)
  const [stuck, sound] = opened.slice(before) as [EventStream, EventStream]
  const big = formatEvent('big', 'x'.repeat(100_000))
  let sent = 0
  // The socket buffers take some megabytes before data waits in this process.
  await until(
    () => {
      for (const stream of [stuck, sound]) stream.write(big)
      sent++
      return stuck.ended
    },
    { every: 1 },
  )
  t.ok(sent < 200, `${sent} events`)
  const cut = Promise.withResolvers<void>()
  slow.once('close', () => cut.resolve())
  slow.resume()
  await cut.promise
  t.equal((await source.wait('big', sent)).length, sent)
  t.notOk(sound.ended)
})

t.test('an ended stream does not keep the connection of a client that does not read', async (t) => {
  const before = opened.length
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => slow.destroy())
  slow.on('error', () => {})
  slow.pause().write('GET /probe/stream HTTP/1.1\r\nhost: x\r\n\r\n')
  await until(() => opened.length === before + 1)
  const [stuck, socket] = [opened[before] as EventStream, sockets[before] as Socket]
  const big = formatEvent('big', 'x'.repeat(100_000))
  await until(
    () => {
      stuck.write(big)
      return socket.writableLength > 300_000
    },
    { every: 1 },
  )
  t.notOk(stuck.ended)
  stuck.end()
  await until(() => socket.destroyed, { what: 'the connection is closed' })
})

t.test('streams end when the process is asked to, and one that opens then ends at once', async (t) => {
  const source = await openSource(t, url)
  await until(() => source.lines.length === 1)
  ending.abort()
  await until(() => source.ended)
  const late = await openSource(t, url)
  await until(() => late.ended)
  t.same([late.status, late.lines], [200, ['retry: 1234']])
  t.ok(opened.every(({ ended }) => ended))
})
