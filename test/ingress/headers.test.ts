import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { createClients } from '../../ingress/http/request/client.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'

const create = route({
  method: 'POST',
  path: '/notes',
  summary: 'Make a note',
  scope: 'files:write',
  idempotent: { field: 'key' },
  status: 201,
  body: z.strictObject({ text: z.string(), key: z.string().optional() }),
  reply: z.object({ made: z.number() }),
  handle: async () => ({ made: ++made }),
})

let made = 0
const notes = area({ name: 'notes', title: 'N', description: 'N.', base: '/v1', routes: { notes: { create } } })

t.test('headers', async (t) => {
  const { db } = await testDatabase(t)
  const { ask, url } = await testIngress(t, db, [notes])
  const key = (await testOrg(db, ['files:write'])).keys.main

  await t.test('an idempotency key is the same in the header and in the body', async (t) => {
    const inBody = await ask('POST /v1/notes', { key, body: { text: 'a', key: 'k1' } })
    const inHeader = await ask('POST /v1/notes', { key, body: { text: 'a' }, headers: { 'idempotency-key': 'k1' } })
    t.same([inHeader.status, inHeader.body], [201, inBody.body])
    t.equal(inHeader.headers.get('idempotent-replayed'), 'true')
    const both = await ask('POST /v1/notes', {
      key,
      body: { text: 'a', key: 'k1' },
      headers: { 'idempotency-key': 'k1' },
    })
    t.same(both.body, inBody.body)
    const other = await ask('POST /v1/notes', { key, body: { text: 'b' }, headers: { 'idempotency-key': 'k1' } })
    t.equal(other.status, 409)
    const empty = await ask('POST /v1/notes', { key, body: { text: 'c' }, headers: { 'idempotency-key': '' } })
    t.equal(empty.status, 400)
    t.same(fieldsOf(empty), ['header.idempotency-key'])
  })

  await t.test('two hosts are none (RFC 9112 §3.2)', async (t) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('GET /healthz HTTP/1.1\r\nhost: a.example\r\nHost: b.example\r\nconnection: close\r\n\r\n')
    const answer = await text(socket)
    t.match(answer, /^HTTP\/1.1 400 .*"field":"header.host"/s)
  })

  await t.test('the contract is compressed, and not sent again to who has it', async (t) => {
    const get = async (headers: Record<string, string>) => {
      const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
      request(`${url}/v1/openapi.json`, { headers }, resolve).once('error', reject).end()
      const {
        statusCode,
        headers: answered,
        ...response
      } = await promise.then(async (message) => {
        const chunks: Buffer[] = await message.toArray()
        return { statusCode: message.statusCode, headers: message.headers, body: Buffer.concat(chunks) }
      })
      return { status: statusCode, encoding: answered['content-encoding'], headers: answered, body: response.body }
    }
    const plain = await get({})
    const zipped = await get({ 'accept-encoding': 'gzip, br;q=0' })
    const small = await get({ 'accept-encoding': 'gzip, deflate, br' })
    t.same([plain.encoding, zipped.encoding, small.encoding], [undefined, 'gzip', 'br'])
    t.match(zipped.headers['cache-control'], /^public, max-age=\d+$/)
    t.same(gunzipSync(zipped.body), plain.body)
    t.same(brotliDecompressSync(small.body), plain.body)
    t.ok(zipped.body.length < plain.body.length / 5)
    t.ok(small.body.length < zipped.body.length)
    const { body, headers } = await get({ host: 'other.example' })
    t.same([body, headers.etag], [plain.body, plain.headers.etag], 'made once, whatever host a stranger names')
    const tags = [plain, zipped, small].map(({ headers }) => String(headers.etag))
    t.equal(new Set(tags).size, 3, 'each encoding has a tag of its own')
    for (const { headers } of [plain, zipped, small]) t.match([headers.vary, headers.etag], ['accept-encoding', /^"/])
    for (const [i, accepted] of ['identity', 'gzip', 'br'].entries()) {
      const again = await get({ 'accept-encoding': accepted, 'if-none-match': String(tags[i]) })
      t.same([again.status, again.body.length, again.headers.vary], [304, 0, 'accept-encoding'])
      const other = await get({ 'accept-encoding': accepted, 'if-none-match': String(tags[(i + 1) % 3]) })
      t.equal(other.status, 200, 'the bytes of another encoding are not had')
    }
  })
})

t.test('X-Forwarded-For is read with the ports that some proxies add', async (t) => {
  const clients = createClients(['127.0.0.1'])
  const ipOf = (forwarded: string) =>
    clients({
      headers: { host: 'x', 'x-forwarded-for': forwarded },
      rawHeaders: ['Host', 'x'],
      socket: { remoteAddress: '::ffff:127.0.0.1' },
    } as never).ip
  t.equal(ipOf('1.2.3.4:5678'), '1.2.3.4')
  t.equal(ipOf('[2001:db8::1]:443'), '2001:db8::1')
  t.equal(ipOf('[2001:db8::1]'), '2001:db8::1')
  t.equal(ipOf('2001:db8::1'), '2001:db8::1')
  t.equal(ipOf('::ffff:1.2.3.4'), '1.2.3.4')
  t.equal(ipOf('evil, 1.2.3.4:1'), '1.2.3.4')
  t.equal(ipOf('1.2.3.4:port'), '127.0.0.1', 'what is no address is not believed')
})
