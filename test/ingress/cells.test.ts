import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { hashSecret, makeKey, signToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { markMoved, movedOrg, unmarkMoved } from '#sql/account/moved.ts'
import { sql } from '#sql/db.ts'
import { area } from '../../ingress/http/area.ts'
import { type EventStream, formatEvent, openEventStream } from '../../ingress/http/event-stream.ts'
import { route } from '../../ingress/http/route.ts'
import { stopping } from '../../ingress/http/services.ts'
import { openSource } from '../notify/event-source.ts'
import { type TestCell, testCells } from '../support/cells.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

t.setTimeout(120_000)
type Name = 'a' | 'b' | 'c'
const looked: Record<Name, number> = { a: 0, b: 0, c: 0 }
const said: Record<Name, number> = { a: 0, b: 0, c: 0 }
const streams: Record<Name, EventStream[]> = { a: [], b: [], c: [] }
const known: Record<Name, Set<string>> = { a: new Set(), b: new Set(), c: new Set() }

const Told = z.object({ cell: z.string(), text: z.string(), ip: z.string(), origin: z.string(), seen: z.string() })

const probe = (cell: Name) => {
  const echo = route({
    method: 'POST',
    path: '/echo',
    summary: 'Say it again',
    scope: 'files:write',
    status: 200,
    body: z.strictObject({ text: z.string() }),
    reply: Told,
    headers: { 'x-of-cell': 'The cell' },
    async handle({ body, ip, origin, header, set }) {
      said[cell]++
      set('x-of-cell', cell)
      const names = ['x-hopped', 'connection', 'millrace-hop', 'x-forwarded-for', 'x-kept']
      return { cell, text: body.text, ip, origin, seen: names.map((name) => header(name) ?? '-').join(' ') }
    },
  })
  const watch = route({
    method: 'GET',
    path: '/stream',
    summary: 'Watch',
    scope: 'files:write',
    status: 200,
    raw: 'text/event-stream',
    async handle({ ctx, services }) {
      streams[cell].push(openEventStream(ctx, { stopping: services(stopping) }))
    },
  })
  const half = route({
    method: 'GET',
    path: '/half',
    summary: 'Begin an answer',
    scope: 'files:write',
    status: 200,
    raw: 'text/plain',
    async handle({ ctx }) {
      ctx.respond = false
      ctx.res.write('half')
    },
  })
  const seek = (id: string) => {
    looked[cell]++
    if (!known[cell].has(id)) throw notFound('thing')
    return { cell }
  }
  const Seek = z.object({ id: z.guid() })
  const shared = { public: true, params: Seek, status: 200, reply: z.object({ cell: z.string() }) } as const
  const find = route({
    ...shared,
    ignoresOtherQuery: true,
    method: 'GET',
    path: '/things/{id}',
    summary: 'Find',
    problems: ['not_found'],
    handle: async ({ params }) => seek(params.id),
  })
  const change = route({
    ...shared,
    method: 'POST',
    path: '/things/{id}',
    summary: 'Change',
    problems: ['not_found'],
    body: z.object({ n: z.int() }),
    handle: async ({ params }) => seek(params.id),
  })
  const routes = { probe: { echo, watch, half, find, change } }
  return [area({ name: 'probe', title: 'Probe', description: '', base: '/probe', platform: true, routes })]
}

const { a, b, c } = await testCells<Name>(t, ['a', 'b', 'c'], probe, { waiting: 4 })

/** Makes an organisation in a cell with a key that says `said`. */
async function orgOf({ db, name }: TestCell, said = name) {
  const { org } = await testOrg(db, [], { keys: {} })
  const secret = makeKey('bt_live_', said)
  await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'k', scopes: ['files:write'], secret })
  return { id: org.id, key: secret }
}

const [ofA, ofB, ofC] = [await orgOf(a), await orgOf(b), await orgOf(c)]
const echo = (cell: TestCell, key: string, text = 'x', headers: Record<string, string> = {}) =>
  cell.ask('POST /probe/echo', { key, body: { text }, headers })

/** The same with headers that `fetch` keeps to itself. */
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

t.test('what is of one connection goes no further, and a client says nothing for a cell', async (t) => {
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
  for (const socket of others) socket.destroy()
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

t.test('keys that another cell does not know are counted and remembered as its own door does', async (t) => {
  const [opened, begun, first] = [b.door.opened(), performance.now(), makeKey('bt_live_', 'b')]
  let tried = 0
  for (let key = first; (await echo(c, key)).status === 401; key = makeKey('bt_live_', 'b')) tried++
  t.ok(tried >= 60 && tried <= 61 + (performance.now() - begun) / 1000, `${tried}: as many as may be tried here`)
  t.match(await echo(c, first), { status: /401|429/ })
  t.match(await echo(c, ofA.key), { status: 429 }, 'nor may keys of a third be tried')
  t.ok(b.door.opened() - opened < 10, 'over few connections')
  t.match(await echo(b, ofA.key), { status: 200 }, 'a key that was good is asked on behalf of its owner')
})

t.test('a cell that is away costs the others nothing: 503, soon at once, and it is back by itself', async (t) => {
  await b.door.shut()
  for (let i = 0; i < 6; i++) {
    const reply = await echo(a, ofB.key)
    t.match(reply, { status: 503, body: { error: { code: 'server_error' } } })
    t.ok(Number(reply.headers.get('retry-after')) > 0)
  }
  t.match(await echo(a, ofA.key), { status: 200 })
  t.match(await echo(a, ofC.key), { status: 200 })
  await b.door.open()
  await until(async () => (await echo(a, ofB.key)).status === 200)
  b.door.hold()
  const held = await Promise.all(Array.from({ length: 12 }, () => echo(a, ofB.key)))
  t.same([...new Set(held.map(({ status }) => status))], [503])
  t.ok(b.door.opened() > 0)
  t.match(await echo(a, ofC.key), { status: 200 })
  await b.door.open()
  await until(async () => (await echo(a, ofB.key)).status === 200)
})

t.test(
  'an organisation that has moved is passed on by its key, its ids and its tokens; back again, it is here',
  async (t) => {
    const id = randomUUID()
    const one = await orgOf(a)
    await keys.create(b.db, {
      orgId: ofB.id,
      prefix: 'bt_live_',
      name: 'moved',
      scopes: ['files:write'],
      secret: one.key,
    })
    known.b.add(id)
    const token = signToken('any', { m: id }, 's'.repeat(32))
    t.match(await echo(a, one.key), { body: { cell: 'a' } })
    t.match(await a.ask(`GET /probe/things/${id}`), { status: 404 })
    const references = [
      { kind: 'key', value: hashSecret(one.key) },
      { kind: 'id', value: id.toUpperCase() },
    ] as const
    await a.db.transaction((tx) => markMoved(tx, { orgId: one.id, cell: 'b', references }))
    t.match(await movedOrg(a.db, one.id), { cell: 'b' })
    await until(async () => (await echo(a, one.key)).body.cell === 'b')
    await a.db.query(sql.typeAlias('void')`delete from account.keys where org_id = ${one.id}`)
    await until(async () => (await echo(a, one.key, 'gone')).body.cell === 'b')
    t.match(await echo(b, one.key), { body: { cell: 'b' } }, 'asked by the way round, it is at home')
    await until(async () => (await a.ask(`GET /probe/things/${id}`)).body.cell === 'b')
    t.match(await a.ask(`POST /probe/things/${id}`, { body: { n: 1 } }), { status: 200, body: { cell: 'b' } })
    const other = randomUUID()
    known.b.add(other)
    t.match(await a.ask(`GET /probe/things/${other}`), { status: 404 }, 'what no reference names stays unfound')
    t.match(
      await a.ask(`GET /probe/things/${other}?t=${token}`),
      { status: 200 },
      'an id that a token carries leads there',
    )
    await b.db.transaction((tx) => markMoved(tx, { orgId: ofB.id, cell: 'a', references }))
    await until(async () => (await echo(a, one.key)).status === 503, { what: 'two cells that name each other end it' })
    await b.db.transaction((tx) => unmarkMoved(tx, ofB.id))
    await until(async () => (await echo(a, one.key)).body.cell === 'b')
  },
)
