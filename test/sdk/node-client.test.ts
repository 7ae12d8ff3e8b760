import { scryptSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { test } from 'tap'
import { scrypt } from '../../sdk/node/src/guard/scrypt.ts'
import { ConnectionError, Millrace, MillraceError, RateLimitedError, ServerError } from '../../sdk/node/src/index.ts'
import { getRetryDelayMs, isRetryable } from '../../sdk/node/src/retries.ts'
import type { Scope } from '../support/postgres.ts'
import { closedUrl } from './fault-proxy.ts'

const key = 'bt_live_a-key-that-nobody-may-see'

/** A client of a server that answers as it is told; what has come is in `seen`. */
async function clientOf(t: Scope, answer: RequestListener) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const baseUrl = `${url}/base/`
  return { url, seen, client: new Millrace({ baseUrl, apiKey: key }) }
}

test('what a client or its errors show has no key', async (t) => {
  const client = new Millrace({ baseUrl: await closedUrl(), apiKey: key, maxRetries: 0 })
  const error = (await client.push.listApps().catch((failure) => failure)) as Error
  t.type(error, ConnectionError)
  t.match(error.message, /^GET \/push\/v1\/apps received no response: ECONNREFUSED/)
  const stream = client.push.stream.watch({ token: 'a-token-of-a-stream' })
  const broken = await stream[Symbol.asyncIterator]()
    .next()
    .catch((failure) => failure)
  t.type(broken, ConnectionError)
  t.notMatch(inspect([client, error, broken, stream], { depth: 9, showHidden: true }), /nobody-may-see|a-token-of/)
  t.throws(
    () => new Millrace({ baseUrl: 'http://x', apiKey: `${key}\n` }),
    /^apiKey is empty or contains an invalid character\.$/,
  )
})

test('a client that cannot work is not made', async (t) => {
  for (const baseUrl of ['', 'example.com', 'ftp://example.com', 'https://me:secret@example.com', 'https://x/?a=1']) {
    t.throws(() => new Millrace({ baseUrl }), MillraceError, baseUrl)
  }
  t.throws(() => new Millrace({ baseUrl: 'https://x', apiKey: '' }), MillraceError)
})

// biome-ignore-start lint/style/noProcessEnv: the environment is what is tested.
test('address and key come from the environment, the address with or without its version; what is missing is said', async (t) => {
  const seen: string[] = []
  const keysSeen: (string | undefined)[] = []
  const { url } = await clientOf(t, (request, response) => {
    seen.push(request.url ?? '')
    keysSeen.push(request.headers.authorization)
    response.statusCode = request.headers.authorization ? 200 : 401
    response.end('{}')
  })
  const settings = ['MILLRACE_BASE_URL', 'MILLRACE_API_KEY'] as const
  const before = settings.map((name) => process.env[name])
  t.teardown(() => {
    for (const [n, name] of settings.entries()) {
      if (before[n] === undefined) delete process.env[name]
      else process.env[name] = before[n]
    }
  })
  for (const name of settings) delete process.env[name]
  t.throws(() => new Millrace(), /^The URL of the API is not set\. Pass `baseUrl`, or set MILLRACE_BASE_URL\.$/)
  process.env.MILLRACE_BASE_URL = `${url}/v1/`
  const keyless = new Millrace()
  await t.rejects(keyless.push.getApp('one'), {
    name: 'UnauthorizedError',
    message: 'GET /push/v1/apps/one needs an API key. Pass `apiKey`, or set MILLRACE_API_KEY.',
  })
  process.env.MILLRACE_API_KEY = 'bt_live_of_the_environment'
  await new Millrace().push.getApp('one')
  await new Millrace({ baseUrl: `${url}/base/v1`, apiKey: 'bt_live_given' }).video.assets.read('two')
  t.same(seen, ['/push/v1/apps/one', '/push/v1/apps/one', '/base/v1/stream/assets/two'])
  t.same(keysSeen, [undefined, 'Bearer bt_live_of_the_environment', 'Bearer bt_live_given'])
})
// biome-ignore-end lint/style/noProcessEnv: the environment is what is tested.

test('parameters stay in their segment, and the base keeps its path', async (t) => {
  const { client, seen } = await clientOf(t, (_, response) => response.end('{}'))
  await client.email.contacts.read('a/b?c=d@example.com')
  await client.push.appInsights('app', { days: 7 })
  t.same(seen, ['GET /base/send/v1/contacts/a%2Fb%3Fc%3Dd%40example.com', 'GET /base/push/v1/apps/app/insights?days=7'])
  t.throws(() => client.push.getApp(''), /^A path parameter is invalid: ""\.$/)
  t.throws(() => client.push.getApp(undefined as unknown as string), /^A path parameter is invalid: undefined\.$/)
})

test('a list asks for its pages one after another, and for none before it is used', async (t) => {
  const { client, seen } = await clientOf(t, (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor')
    response.end(
      JSON.stringify({ data: [{ id: cursor ?? '0' }], next_cursor: cursor === '2' ? null : `${Number(cursor) + 1}` }),
    )
  })
  const list = client.push.listApps({ limit: 1 })
  t.same(seen, [])
  const ids: string[] = []
  for await (const { id } of list) ids.push(id)
  t.same(ids, ['0', '1', '2'])
  t.same(
    seen.map((one) => one.split('?')[1]),
    ['limit=1', 'limit=1&cursor=1', 'limit=1&cursor=2'],
  )
  const page = await client.push.listApps()
  t.equal((await page.next())?.data[0]?.id, '1')
  const refused = await clientOf(t, (_, response) => response.writeHead(404).end('{}'))
  await t.rejects(refused.client.push.listApps(), { status: 404, code: 'http_404' })
})

test('a stream comes back after what it has seen, and stays away when it is told to', async (t) => {
  const { client, seen } = await clientOf(t, (_, response) => {
    if (seen.length === 3) return response.writeHead(503).end()
    if (seen.length === 5) return response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const id = seen.length
    // Pieces end wherever they end; a block without its end is no event.
    response.write(`retry: 1\r\n\r\n:\r\n\r\nid: ${id}\r\nevent: mess`)
    response.end(`age\r\ndata: {"text":\r\ndata: "ü${id}"}\r\n\r\nevent: lost\r\ndata: 1`)
  })
  const events: unknown[] = []
  for await (const { event, id, data } of client.push.stream.watch({ token: 'x' })) events.push([event, id, data])
  t.same(
    events,
    [1, 2, 4].map((n) => ['message', String(n), { text: `ü${n}` }]),
  )
  t.same(
    seen.map((one) => /last_event_id=(\d+)/.exec(one)?.[1]),
    [undefined, '1', '2', '2', '4'],
  )
})

test('a stream that is closed or called off ends; a stream of an answer does not begin anew', async (t) => {
  const { client, seen } = await clientOf(t, (_, response) => {
    const cut = () => void (seen.length === 3 && response.destroy())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: message.delta\ndata: {"text":"a"}\n\n', cut)
  })
  const closed = client.push.stream.watch({ token: 'x' })
  for await (const _ of closed) closed.close()
  const off = new AbortController()
  const watched = async () => {
    for await (const _ of client.push.stream.watch({ token: 'x' }, { signal: off.signal }))
      off.abort(new Error('enough'))
  }
  await t.rejects(watched(), /^enough$/)
  const answered = async () => {
    for await (const _ of client.bots.chat.create('bot', { message: 'Hello', stream: true })) t.pass('an event')
  }
  await t.rejects(answered(), ConnectionError)
  t.equal(seen.length, 3)
})

test('a call that is called off says why, and sends nothing more', async (t) => {
  const off = new AbortController()
  const { client, seen } = await clientOf(t, (_, response) => {
    response.writeHead(503, { 'retry-after': '30' }).end(() => off.abort(new Error('enough')))
  })
  await t.rejects(client.push.listApps({}, { signal: off.signal }), /^enough$/)
  t.equal(seen.length, 1)
})

test('what may be sent again, and when', (t) => {
  const refusal = (status: number, retryAfter?: number) =>
    new (status === 429 ? RateLimitedError : ServerError)({ status, code: 'x', message: 'x', retryAfter })
  const [read, once, keyed] = [
    { verb: 'GET', harmless: false },
    { verb: 'POST', harmless: false },
    { verb: 'POST', harmless: true },
  ]
  t.same(
    [read, once, keyed].map((request) => isRetryable(request, refusal(500))),
    [true, false, true],
  )
  t.same(
    [read, once, keyed].map((request) => isRetryable(request, refusal(503))),
    [true, true, true],
  )
  t.same(
    [read, once, keyed].map((request) => isRetryable(request, refusal(429, 61))),
    [false, false, false],
  )
  t.same(
    [read, once, keyed].map((request) => isRetryable(request, new ConnectionError('cut'))),
    [true, false, true],
  )
  t.same(
    [1, 2, 3, 9].map((attempt) => getRetryDelayMs(attempt, undefined, () => 1)),
    [500, 1_000, 2_000, 8_000],
  )
  t.equal(
    getRetryDelayMs(1, refusal(429, 7), () => 0),
    7_000,
  )
  t.equal(
    getRetryDelayMs(1, undefined, () => 0),
    250,
  )
  t.end()
})

test('a call returns its response on request, and hooks receive each attempt without secrets', async (t) => {
  let attempts = 0
  const { url } = await clientOf(t, (_, response) => {
    response.setHeader('x-request-id', `req-${++attempts}`)
    if (attempts === 1) response.writeHead(503, { 'retry-after': '0' })
    response.end('{ "data": [{ "id": "one" }], "next_cursor": null }')
  })
  const seen: unknown[] = []
  const client = new Millrace({
    baseUrl: url,
    apiKey: key,
    onRequest: (info) => seen.push(info),
    onResponse: (info) => seen.push(info),
    onRetry: (info) => seen.push(info),
  })
  const { data, response, requestId } = await client.push.getApp('one').withResponse()
  t.match({ data, requestId }, { data: { next_cursor: null }, requestId: 'req-2' })
  t.equal(response.status, 200)
  t.match(seen, [
    { method: 'GET', path: '/push/v1/apps/one', attempt: 1, headers: { authorization: '[masked]' } },
    { attempt: 1, status: 503, requestId: 'req-1', durationMs: Number },
    { attempt: 1, error: { code: 'server_error' }, delayMs: Number },
    { attempt: 2 },
    { attempt: 2, status: 200, requestId: 'req-2' },
  ])
  t.notMatch(inspect(seen, { depth: 9 }), /nobody-may-see/)

  const list = await client.push.listApps().withResponse()
  t.match(list, { requestId: 'req-3', data: { data: [{ id: 'one' }] } })
  t.equal(await client.push.getApp('one').then((app) => 'data' in app), true)
})

test('an error of a hook is thrown, and the call is not repeated', async (t) => {
  const { url, seen } = await clientOf(t, (_, response) => response.end('{}'))
  const mistake = new Error('a mistake of the hook')
  const fail = () => {
    throw mistake
  }
  await t.rejects(new Millrace({ baseUrl: url, onResponse: fail }).push.getApp('one'), mistake)
  await t.rejects(new Millrace({ baseUrl: url, onRequest: fail }).push.getApp('one'), mistake)
  t.same(seen, ['GET /push/v1/apps/one'])
  const missing = new Millrace({ baseUrl: await closedUrl(), maxRetries: 0 })
  // Only this promise is handled.
  await t.rejects(missing.push.getApp('one').withResponse(), ConnectionError)
})

test('scrypt in plain script is that of RFC 7914', (t) => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  for (const [password, salt, n, r, p] of [
    ['', '', 16, 1, 1],
    ['password', 'NaCl', 1024, 8, 16],
  ] as const) {
    const key = scrypt(bytes(password), bytes(salt), { n, r, p, keyLength: 64 })
    t.same(Buffer.from(key), scryptSync(password, salt, 64, { N: n, r, p }))
  }
  t.end()
})
