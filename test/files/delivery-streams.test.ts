import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { rollUp } from '#sql/account/usage/roll-up.ts'
import * as usage from '#sql/account/usage.ts'
import { sql } from '#sql/db.ts'
import * as days from '#sql/files/delivery-days.ts'
import { deliveryCounter } from '../../ingress/files/delivery/delivered.ts'
import { transfers } from '../../ingress/files/delivery/transfers.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { layCable } from '../support/cable.ts'
import { until } from '../support/until.ts'
import { storeKeys, videoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

t.setTimeout(180_000)
const stack = await videoStack(t, { areas: ['files'] })
const { db, ingress, store } = stack
const mine = await publisher(stack)
/** More than the buffers of both ends of a connection on one machine. */
const large = Buffer.alloc(24 * 1024 ** 2, 'all of this ')

/** Requests a file and reads only the headers. */
async function open(path: string, { from = '127.0.0.1', base = ingress.url } = {}): Promise<IncomingMessage> {
  const asked = requestHttp(base + path, { localAddress: from, agent: false })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => {})
  return answer
}

/** Returns true if the response ended early. */
async function endsEarly(answer: IncomingMessage): Promise<boolean> {
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  if (!answer.closed) await new Promise((resolve) => answer.once('close', resolve))
  return bytes < Number(answer.headers['content-length']) && !answer.complete
}

const largeFile = async (visibility: string) => await mine.store(large, { visibility, filename: 'large.bin' })
const revoked = (id: string, status: string) =>
  db.query(sql.typeAlias('void')`update files.objects set scan_status = ${status} where id = ${id}`)

t.test('a download in progress ends within five seconds after its right has ended', async (t) => {
  const ways: [string, string, (id: string) => Promise<unknown>][] = [
    ['private', 'public', (id) => mine.show(id, 'private')],
    ['signed', 'public', (id) => mine.show(id, 'signed')],
    ['infected', 'public', (id) => revoked(id, 'infected')],
    ['suspicious', 'public', (id) => revoked(id, 'suspicious')],
    ['deleted', 'public', (id) => mine.ask(`DELETE /v1/files/objects/${id}`)],
    ['revoked', 'signed', (id) => mine.ask(`DELETE /v1/files/objects/${id}/signed-urls`)],
  ]
  await Promise.all(
    ways.map(async ([what, visibility, end]) => {
      const id = await largeFile(visibility)
      const path = visibility === 'signed' ? (await mine.sign(id)).replace(ingress.url, '') : `/f/${id}/large.bin`
      const answer = await open(path)
      t.equal(answer.statusCode, 200, what)
      await end(id)
      const since = performance.now()
      // The client reads nothing for a time, so only the server can end the response.
      await until(() => ingress.app.services(transfers).count() === 0, { what: 'the responses end' })
      t.ok(await endsEarly(answer), what)
      t.comment(`${what}: ${Math.round(performance.now() - since)} ms`)
    }),
  )
})

t.test('a new version does not end downloads of the version before', async (t) => {
  const id = await largeFile('public')
  const answer = await open(`/f/${id}/large.bin`)
  await mine.replace(id, 'new', { filename: 'large.bin' })
  t.notOk(await endsEarly(answer))
})

t.test('slow clients hold only their own places', async (t) => {
  const id = await largeFile('public')
  const path = `/f/${id}/large.bin`
  const slow = await Promise.all(Array.from({ length: 64 }, () => open(path, { from: '127.0.0.2' })))
  const refused = await open(path, { from: '127.0.0.2' })
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, { 'retry-after': '2' })
  t.equal((await open(path, { from: '127.0.0.3' })).statusCode, 200, 'another client is served')
  const done = await mine.store('small', { visibility: 'public' })
  t.equal((await fetch(`${ingress.url}/f/${done}/note.txt`)).status, 200)
  t.equal((await mine.ask(`POST /v1/files/objects/${id}/download-url`, {})).status, 200, 'the store is free for others')
  for (const answer of slow) answer.destroy()
  await until(async () => (await open(path, { from: '127.0.0.2' })).statusCode === 200, { what: 'the places are free' })
})

t.test('clients that leave before the answer keep no places', async (t) => {
  const id = await mine.store('small', { visibility: 'public' })
  const { hostname, port } = new URL(ingress.url)
  const leave = async () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.4' })
    await once(socket, 'connect')
    socket.write(`GET /f/${id}/note.txt HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`, () => socket.resetAndDestroy())
    await once(socket, 'close')
  }
  const before = ingress.app.services(transfers).count()
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 8 }, leave))
  await until(() => ingress.app.services(transfers).count() <= before, { what: 'the places are free' })
  t.equal((await open(`/f/${id}/note.txt`, { from: '127.0.0.4' })).statusCode, 200)
})

t.test('a store that fails during a download ends the response early', async (t) => {
  const cable = await layCable(t, store.url)
  const endpoint = new URL(cable.url).origin
  const storage = new Storage({ endpoint, publicEndpoint: endpoint, ...storeKeys })
  const other = await stack.another(db, { services: [provide(services.storage, storage)] })
  const id = await largeFile('public')
  const small = await mine.store('small', { visibility: 'public' })
  const get = (path: string) => fetch(other.url + path)
  const answer = await open(`/f/${id}/large.bin`, { base: other.url })
  cable.cut()
  t.ok(await endsEarly(answer))
  const away = await get(`/f/${small}/note.txt`)
  t.equal(away.status, 503)
  t.match(Object.fromEntries(away.headers), { 'cache-control': 'no-store', 'content-type': /json/ })
  for (const name of ['content-disposition', 'etag', 'last-modified', 'content-range'])
    t.equal(away.headers.get(name), null, name)
  cable.mend()
  t.equal((await get(`/f/${small}/note.txt`)).status, 200)
})

t.test('delivered bytes are counted by day and object', async (t) => {
  const id = await mine.store('0123456789', { visibility: 'public' })
  const path = `${ingress.url}/f/${id}/note.txt`
  await (await fetch(path)).text()
  await (await fetch(path, { headers: { range: 'bytes=0-3' } })).text()
  await fetch(path, { method: 'HEAD' })
  const found = await until(async () => {
    await ingress.app.services(deliveryCounter).flush()
    const row = await db.maybeOne(sql.type(days.table.Row.pick({ requests: true, bytes: true }))`
      select requests, bytes from files.delivery_days where object_id = ${id}`)
    return row?.requests === 3 && row
  })
  t.same(found, { requests: 3, bytes: 14 })
  await rollUp(db)
  const amount = await db.oneFirst(sql.type(usage.table.Row.pick({ amount: true }))`
    select amount from account.usage_daily where metric = 'files.delivered' and dimension = ${`object:${id}`}`)
  t.equal(amount, 14)
})
