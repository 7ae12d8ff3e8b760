import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { area } from '../../ingress/http/area.ts'
import { pathId } from '../../ingress/http/request/validate.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'

const Part = z.object({ size: z.number().int().min(1), name: z.string().optional() })

const create = route({
  method: 'POST',
  path: '/boxes/{color}',
  summary: 'Make a box',
  scope: 'files:write',
  status: 201,
  params: z.object({ color: z.enum(['red', 'blue']) }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20), tag: z.array(z.string()).default([]) }),
  body: z.strictObject({
    title: z.string().min(1),
    parts: z.array(Part.strict()).default([]),
    kind: z.discriminatedUnion('type', [z.strictObject({ type: z.literal('a'), a: z.string() })]).optional(),
    note: z.string().optional(),
  }),
  reply: z.object({ title: z.string(), parts: z.array(Part), tags: z.array(z.string()), limit: z.number() }),
  async handle({ body, query }) {
    return {
      ...body,
      tags: query.tag,
      limit: query.limit,
      secret: 'never shown',
      parts: body.parts.map((p) => ({ ...p, inner: 1 })),
    }
  },
})

const find = route({
  method: 'GET',
  path: '/boxes/{boxId}',
  summary: 'Find a box',
  public: true,
  status: 200,
  params: z.object({ boxId: pathId('box') }),
  reply: z.object({ id: z.string() }),
  async handle({ params }) {
    return { id: params.boxId }
  },
})

const faulty = route({
  method: 'POST',
  path: '/faulty',
  summary: 'Fail on our side',
  public: true,
  status: 200,
  body: z.looseObject({}).optional(),
  reply: z.object({ count: z.number() }),
  async handle({ body }) {
    if (body?.reply) return { count: 'three' as unknown as number }
    throw new Error('secret internals of host db-7', { cause: new Error('password') })
  },
})

const forms = route({
  method: 'POST',
  path: '/forms',
  summary: 'Take fields of many forms',
  public: true,
  status: 200,
  body: z.strictObject({
    owner: Id,
    when: z.iso.datetime(),
    codes: z.tuple([z.string().max(3), z.string().regex(/^[A-Z]+$/, 'must be upper-case letters')]),
    tags: z.array(z.string()).max(2),
    size: z.union([z.number(), z.strictObject({ h: z.number() })]),
    lines: z.union([z.literal(720), z.literal(480)]).optional(),
    share: z.number(),
  }),
  reply: z.object({}),
  async handle() {
    return {}
  },
})

const boxes = area({
  name: 'boxes',
  title: 'Boxes',
  description: 'Boxes.',
  base: '/v1',
  platform: true,
  routes: { boxes: { create, find, faulty, forms } },
})

t.test('requests', async (t) => {
  const { db } = await testDatabase(t)
  const { ask, url } = await testIngress(t, db, [boxes])
  const { keys } = await testOrg(db, ['files:write'])
  const key = keys.main
  const post = (body: unknown, path = '/v1/boxes/red') => ask(`POST ${path}`, { key, body })
  const send = (raw: string | Uint8Array, type = 'application/json', headers = {}) =>
    ask('POST /v1/boxes/red', { key, raw, headers: { 'content-type': type, ...headers } })

  await t.test('one 400 names every bad field of path, query and body', async (t) => {
    const reply = await post(
      { parts: [{ size: 0, color: 'x' }, { size: 1 }, 7], note: 3, titel: 'x', kind: { type: 'a', b: 1 } },
      '/v1/boxes/green?limit=900&limit=3',
    )
    t.equal(reply.status, 400)
    t.match(reply.body.error, { code: 'bad_request', request_id: reply.headers.get('x-request-id') })
    const fields = [
      'path.color',
      'query.limit',
      'body.title',
      'body.parts.0.size',
      'body.parts.0.color',
      'body.parts.2',
    ]
    t.strictSame(fieldsOf(reply), [...fields, 'body.note', 'body.titel', 'body.kind.a', 'body.kind.b'].sort())
    for (const field of fields) t.ok(reply.body.error.message.includes(field), `the message names ${field}`)
  })

  await t.test('what is wrong with a field is said in plain words', async (t) => {
    const wordsFor = async (body: unknown, path?: string) => {
      const faults: { field: string; issue: string }[] = (await post(body, path)).body.error.details
      return Object.fromEntries(faults.map(({ field, issue }) => [field, issue]))
    }
    const parts = [{ size: 0 }, { size: 1.5 }, { size: '1' }, 7, { size: 1, name: null }]
    t.strictSame(
      await wordsFor({ title: '', parts, note: 3, kind: { type: 'b' }, color: 1 }, '/v1/boxes/green?limit=x'),
      {
        'path.color': 'must be one of "red", "blue"',
        'query.limit': 'must be a number',
        'body.title': 'must not be empty',
        'body.parts.0.size': 'must be at least 1',
        'body.parts.1.size': 'must be a whole number',
        'body.parts.2.size': 'must be a number',
        'body.parts.3': 'must be an object',
        'body.parts.4.name': 'must be text',
        'body.note': 'must be text',
        'body.kind.type': 'must be "a"',
        'body.color': 'is not a field of this request',
      },
    )
    const rest = {
      owner: 'x',
      when: 'today',
      codes: ['abcd', 'x'],
      tags: ['a', 'b', 'c'],
      size: { w: 11 },
      lines: 1080,
    }
    t.strictSame(await wordsFor(rest, '/v1/forms'), {
      'body.owner': 'must be a UUID',
      'body.when': 'must be a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
      'body.codes.0': 'must have at most 3 characters',
      'body.codes.1': 'must be upper-case letters',
      'body.tags': 'must have at most 2 items',
      'body.size': 'must have one of the documented forms',
      'body.lines': 'must be one of 720, 480',
      'body.share': 'is required',
    })
  })

  await t.test('fields that the reply does not declare never leave', async (t) => {
    const reply = await post({ title: 'x', parts: [{ size: 2 }] }, '/v1/boxes/red?tag=a&tag=b')
    t.equal(reply.status, 201)
    t.strictSame(reply.body, { title: 'x', parts: [{ size: 2 }], tags: ['a', 'b'], limit: 20 })
    t.strictSame((await post({ title: 'x' }, '/v1/boxes/red?tag=a')).body.tags, ['a'])
  })

  await t.test('what is no JSON object of ours is refused by its kind', async (t) => {
    const deep = `{"title":${'['.repeat(40)}${']'.repeat(40)}}`
    const bad: [string | Uint8Array, RegExp][] = [
      ['{"title":', /not valid JSON/],
      ['', /body: is required/],
      ['  ', /body: is required/],
      ['[]', /body: must be an object/],
      ['null', /body: must be an object/],
      [deep, /at most 32 levels of nesting/],
      ['{"title":"a","title":"b"}', /`title` twice in one object/],
      ['{"title":"a","\\u0074itle":"b"}', /`title` twice in one object/],
      ['{"title":"a","__proto__":{"admin":true}}', /must not contain the name `__proto__`/],
      ['{"title":"a\\u0000b"}', /body.title: must not contain invalid characters/],
      ['{"title":"\\ud800"}', /body.title: must not contain invalid characters/],
      [new Uint8Array([0x7b, 0xff, 0x7d]), /must be UTF-8/],
    ]
    for (const [raw, message] of bad) {
      const reply = await send(raw)
      t.equal(reply.status, 400, String(raw).slice(0, 40))
      t.match(reply.body.error.message, message)
    }
    t.equal((await send('{"title":"a {\\"b\\": \\\\ \\" [[["}')).status, 201, 'quotes and brackets in strings are text')
    t.equal((await send('a=b', 'application/x-www-form-urlencoded')).status, 415)
    t.equal((await send('{}', 'application/json; charset=latin1')).status, 415)
    t.equal((await send('{}', 'application/json', { 'content-encoding': 'br' })).status, 415)
    t.equal((await send('{"title":"x"}', 'application/json; charset=UTF-8')).status, 201)
  })

  await t.test('a body that is too large is refused and its connection lives on', async (t) => {
    const big = JSON.stringify({ title: 'x'.repeat(1024 * 1024) })
    const body = '{"title":"after"}'
    const head = (extra: string) =>
      `POST /v1/boxes/red HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${extra}\r\n\r\n`
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(head(`content-length: ${big.length}`) + big)
    socket.write(`${head('transfer-encoding: chunked')}${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`)
    socket.end(`${head(`content-length: ${body.length}`)}${body}`)
    const answers = (await text(socket)).match(/HTTP\/1.1 \d+/g)
    t.strictSame(answers, ['HTTP/1.1 413', 'HTTP/1.1 413', 'HTTP/1.1 201'])
  })

  await t.test('a client that waits for 100 Continue learns of a missing key before it sends its body', async (t) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('POST /v1/boxes/red HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n')
    t.match(await text(socket), /^HTTP\/1.1 401/)
  })

  await t.test('an id that is none is answered like one that nothing has', async (t) => {
    t.match(await ask('GET /v1/boxes/nope'), {
      status: 404,
      body: { error: { code: 'not_found', message: 'No such box.' } },
    })
    t.equal((await ask('GET /v1/boxes/019358a0-0000-7000-8000-000000000000')).status, 200)
  })

  await t.test('our own faults show nothing of our insides', async (t) => {
    for (const options of [{}, { body: { reply: true } }]) {
      const reply = await ask('POST /v1/faulty', options)
      t.match(reply, { status: 500, body: { error: { code: 'server_error' } } })
      t.notMatch(reply.text, /db-7|password|three|count/)
    }
  })

  await t.test('unknown paths are 404, other methods 405 with Allow, HEAD and OPTIONS as HTTP has them', async (t) => {
    const nothing = {
      code: 'not_found',
      message: 'The path /v1/nothing does not exist. GET /v1 lists all operations, and /docs explains them.',
    }
    t.match(await ask('GET /v1/nothing'), { status: 404, body: { error: nothing } })
    const root = await ask('GET /')
    t.match([root.status, root.headers.get('location')], [302, '/docs'], 'the root leads to the documentation')
    const wrong = await ask('DELETE /v1/boxes/red', { key })
    t.match(wrong, { status: 405, body: { error: { code: 'method_not_allowed' } } })
    t.strictSame(wrong.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST'])
    const head = await ask('HEAD /healthz')
    t.match([head.status, head.text], [200, ''])
    t.ok(Number(head.headers.get('content-length')) > 0)
    t.match((await ask('OPTIONS /v1/boxes/red')).status, 204)
    t.equal((await ask('GET /healthz%zz')).status, 404)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('not http at all\r\n\r\n')
    t.match(await text(socket), /^HTTP\/1.1 400 [\s\S]*"code":"bad_request"/)
  })

  await t.test('every answer has a request id: a sane one of the client, or ours', async (t) => {
    const given = await ask('GET /v1/nothing', { headers: { 'x-request-id': 'order-12345678' } })
    t.equal(given.headers.get('x-request-id'), 'order-12345678')
    t.equal(given.body.error.request_id, 'order-12345678')
    const other = await ask('GET /healthz', { headers: { 'x-request-id': 'a b <script>' } })
    t.match(other.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
  })
})
