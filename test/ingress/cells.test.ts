import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import t from 'tap'
import type { z } from 'zod'
import { makeKey, signToken } from '#lib/tokens.ts'
import { formatEvent } from '../../ingress/http/event-stream.ts'
import { openSource } from '../notify/event-source.ts'
import { type TestCell, testCells } from '../support/cells.ts'
import { until } from '../support/until.ts'
import { echo, type Name, orgOf, probe, said, streams, Told } from './cell-probe.ts'

t.setTimeout(240_000)
const { a, b, c } = await testCells<Name>(t, ['a', 'b', 'c'], probe, { waiting: 4 })
const [ofA, ofB, ofC] = [await orgOf(a), await orgOf(b), await orgOf(c)]

/** Sends headers that `fetch` does not allow. */
async function rawEcho(cell: TestCell, key: string, headers: Record<string, string>): Promise<z.infer<typeof Told>> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
  const sent = request(`${cell.url}/probe/echo`, { method: 'POST', headers: all }, (res) => resolve(json(res)))
  sent.once('error', reject).end('{"text": "x"}')
  return Told.parse(await promise)
}

t.test(
  'a key is answered by its cell, whichever is asked, with its body, headers and the client’s address',
  async (t) => {
    for (const [door, key, cell] of [
      [a, ofA.key, 'a'],
      [a, ofB.key, 'b'],
      [b, ofA.key, 'a'],
      [b, ofC.key, 'c'],
    ] as const) {
      const reply = await echo(door, key, 'ü'.repeat(100_000), { 'x-request-id': 'my-own-request' })
      t.match(reply, { status: 200, body: { cell, ip: '127.0.0.1', origin: door.url } })
      t.equal(reply.body.text.length, 100_000)
      t.equal(reply.headers.get('x-of-cell'), cell)
      t.equal(reply.headers.get('x-request-id'), 'my-own-request')
      t.equal(reply.headers.get('millrace-key'), null)
    }
    const byHeader = await a.ask('POST /probe/echo', { body: { text: 'x' }, headers: { 'x-api-key': ofB.key } })
    t.match(byHeader, { status: 200, body: { cell: 'b' } })
    const { key } = await orgOf(a, '')
    t.match(
      await echo(a, key),
      { body: { cell: 'a' } },
      'a key from before there were cells is of the cell that has it',
    )
    t.match(await echo(b, key), { status: 401 })
    t.match(await echo(a, makeKey('bt_live_', 'zz')), { status: 401 }, 'a cell that does not exist')
  },
)

t.test('what is of one connection goes no further, and a client names no cell', async (t) => {
  const hop = signToken(
    'cell hop',
    { n: 1, ip: '9.9.9.9', origin: 'http://x', host: 'x', on: 'POST /probe/echo' },
    'guessed',
  )
  const headers = { 'x-hopped': '1', 'x-kept': '2', 'millrace-hop': hop, 'x-forwarded-for': '9.9.9.9' }
  const raw = await rawEcho(a, ofB.key, { ...headers, connection: 'x-hopped, keep-alive' })
  t.match(raw, { cell: 'b', ip: '127.0.0.1' })
  const [hopped, connection, , forwarded, kept] = raw.seen.split(' ')
  t.same([hopped, forwarded, kept], ['-', '-', '2'])
  t.not(connection, 'x-hopped,')
  t.match(await echo(a, ofA.key, 'x', { 'millrace-hop': hop }), { body: { ip: '127.0.0.1' } })
})

t.test('events come as they are written, and the end of one side is that of the other', async (t) => {
  const source = await openSource(t, `${a.url}/probe/stream`, { authorization: `Bearer ${ofB.key}` })
  const stream = await until(() => streams.b[0])
  stream.write(formatEvent('one', { n: 1 }))
  t.same(await source.wait('one', 1), [{ n: 1 }])
  source.close()
  await until(() => stream.ended)
  const other = await openSource(t, `${a.url}/probe/stream`, { authorization: `Bearer ${ofB.key}` })
  const second = await until(() => streams.b[1])
  second.end()
  await until(() => other.ended)
})

t.test('a body that breaks off is none there, one that is slow keeps no place of those that wait', async (t) => {
  const before = said.b
  const slow = Array.from({ length: 6 }, () => {
    const socket = connect(Number(new URL(a.url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.write(
      `POST /probe/echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ofB.key}\r\n` +
        'content-type: application/json\r\ncontent-length: 13\r\n\r\n{"text"',
    )
    return socket
  })
  t.match(await echo(a, ofB.key), { status: 200 })
  const [first, ...others] = slow as [Socket, ...Socket[]]
  first.write(': "x"}')
  const [answer] = await once(first, 'data')
  t.match(String(answer), /^HTTP\/1\.1 200 /)
  for (const socket of others) void socket.destroy()
  t.match(await echo(a, ofB.key), { status: 200 })
  t.equal(said.b - before, 3, 'the two whole ones and the one that became whole')
})

t.test('an answer that breaks off there breaks off here, and is not taken for a whole one', async (t) => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${ofB.key}` }
  request(`${a.url}/probe/half`, { headers }, resolve).once('error', reject).end()
  const answer = await promise
  answer.resume().on('error', () => {})
  await b.door.open()
  await until(() => answer.destroyed)
  t.notOk(answer.complete)
})
