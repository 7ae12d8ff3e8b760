import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Test, test } from 'tap'
import { childEnvironment, readConfig } from '#lib/config.ts'
import { createOutboundClient, type OutboundRequest } from '#lib/http.ts'

const within: OutboundRequest = { timeout: 15_000, maxBytes: 10_000 }

/** A server on a loopback address, with the requests it received in order. */
async function serverAt(t: Test, host: string, answer: RequestListener) {
  const seen: string[] = []
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers.authorization ?? ''}`.trim())
    answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, seen, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

function clientOf(t: Test, rules?: Parameters<typeof createOutboundClient>[0]) {
  const client = createOutboundClient(rules)
  t.teardown(() => client.close())
  return client
}

test('no address of the own network is reached, however it is written', async (t) => {
  const inside = await serverAt(t, '127.0.0.1', (_, res) => res.end('internal secret'))
  const client = clientOf(t)
  const { port } = inside
  for (const host of [
    'localhost',
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '0x7f000001',
    '0',
    '169.254.169.254',
    '[::1]',
    '10.0.0.1',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[::7f00:2]',
    '[::127.0.0.1]',
    '[::a9fe:a9fe]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[64:ff9b:1:ffff:7f:1:0:0]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::1]',
    '[2606:4700::5efe:7f00:1]',
    '[2606:4700::200:5efe:a00:1]',
    '[4000::1]',
  ]) {
    await t.rejects(client.request(`http://${host}:${port}/`, within), { code: 'address_refused' }, host)
  }
  t.same(inside.seen, [])
})

test('a name is refused when any of its addresses is, and each connection asks anew', async (t) => {
  const inside = await serverAt(t, '127.0.0.1', (_, res) => res.end('internal secret'))
  const answers = [['198.51.100.7', '127.0.0.1'], ['127.0.0.1'], ['::7f00:1'], ['2606:4700:0:1:0:5efe:a00:1']]
  const lookup = ((_: string, __: unknown, done: (error: null, found: object[]) => void) =>
    done(
      null,
      (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
    )) as never
  const client = clientOf(t, { lookup })
  while (answers.length > 0) {
    await t.rejects(client.request(`http://rebind.example:${inside.port}/`, within), { code: 'address_refused' })
  }
  t.same(inside.seen, [])
})

test('who gave a name is told nothing of what it resolves to', async (t) => {
  const internal: Record<string, object[] | null> = {
    'private.example': [{ address: '10.1.2.3', family: 4 }],
    'partly.example': [
      { address: '1.1.1.1', family: 4 },
      { address: '10.1.2.3', family: 4 },
    ],
    'none.example': [],
    'unknown.example': null,
  }
  const lookup = ((name: string, _: unknown, done: (error: Error | null, found: object[]) => void) =>
    done(internal[name] ? null : new Error('ENOTFOUND'), internal[name] ?? [])) as never
  const client = clientOf(t, { lookup })
  const faultOf = (url: string) => client.request(url, within).catch((error) => error)
  const ofPort = { shown: 'port_refused', message: 'Port 8080 is not allowed. Allowed ports: 80, 443.' }
  for (const name of Object.keys(internal)) {
    const message = `${name} does not resolve to a public address.`
    t.match(await faultOf(`http://${name}/`), { shown: 'unresolved', message })
    t.match(await faultOf(`http://${name}:8080/`), ofPort, `${name}:8080`)
  }
  internal['public.example'] = [{ address: '1.1.1.1', family: 4 }]
  t.match(await faultOf('http://public.example:8080/'), ofPort)
})

test('each hop of a redirect is checked', async (t) => {
  const inside = await serverAt(t, '127.0.0.1', (_, res) => res.end('internal secret'))
  const outside = await serverAt(t, '127.0.0.2', (_, res) => res.writeHead(302, { location: inside.url }).end())
  const client = clientOf(t, { allowed: ['127.0.0.2'] })
  await t.rejects(client.request(outside.url, { ...within, redirects: 5 }), { code: 'address_refused' })
  t.same(inside.seen, [])
  t.match(await client.request(outside.url, within), { status: 302, headers: { location: inside.url } })
})

test('redirects are followed to their number, without the credentials of another origin', async (t) => {
  const last = await serverAt(t, '127.0.0.3', (_, res) => res.end('arrived'))
  const first = await serverAt(t, '127.0.0.2', (req, res) => {
    const [, left] = /\/(\d)/.exec(req.url ?? '') ?? []
    res.writeHead(303, { location: left === '0' ? `${last.url}/end` : `/${Number(left) - 1}` }).end()
  })
  const client = clientOf(t, { allowed: ['127.0.0.0/8'] })
  const options: OutboundRequest = {
    ...within,
    method: 'POST',
    body: '{}',
    headers: { authorization: 'Bearer of-the-first' },
  }
  const response = await client.request(`${first.url}/1`, { ...options, redirects: 2 })
  t.equal(response.body.toString(), 'arrived')
  t.same(response.hops, [`${first.url}/1`, `${first.url}/0`, `${last.url}/end`])
  t.same(last.seen, ['GET /end'])
  t.same(first.seen, ['POST /1 Bearer of-the-first', 'GET /0 Bearer of-the-first'])
  await t.rejects(client.request(`${first.url}/2`, { ...options, redirects: 2 }), { code: 'too_many_redirects' })
})

test('only HTTP without credentials is requested, and of public addresses only the ports of HTTP', async (t) => {
  const client = clientOf(t)
  const refused = { 'ftp://example.com/': 'bad_url', 'http://a:b@example.com/': 'bad_url', 'no url': 'bad_url' }
  for (const [url, code] of Object.entries(refused)) await t.rejects(client.request(url, within), { code }, url)
  await t.rejects(client.request('http://198.51.100.7:22/', within), { code: 'address_refused' }, 'a reserved range')
  await t.rejects(client.request('http://1.1.1.1:22/', within), { code: 'port_refused' })
  await t.rejects(client.request('http://no-such-name.invalid/', within), { code: 'unresolved' })
})

test('a body is bounded as it comes and as it is unpacked', async (t) => {
  const bomb = { gzip: gzipSync(Buffer.alloc(1_000_000)), br: brotliCompressSync(Buffer.alloc(1_000_000)) }
  const server = await serverAt(t, '127.0.0.2', (req, res) => {
    const name = req.url?.slice(1) ?? ''
    if (name === 'endless') {
      const more = () => void (res.write(Buffer.alloc(65_536)) ? setImmediate(more) : res.once('drain', more))
      more()
    } else if (name === 'text') res.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('a text'))
    else if (name === 'odd') res.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x')
    else if (name === 'torn') res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    else res.writeHead(200, { 'content-encoding': name }).end(bomb[name as keyof typeof bomb])
  })
  const client = clientOf(t, { allowed: ['127.0.0.2'] })
  t.equal(String((await client.request(`${server.url}/text`, within)).body), 'a text')
  for (const name of ['endless', 'gzip', 'br']) {
    await t.rejects(client.request(`${server.url}/${name}`, within), { code: 'too_large' }, name)
  }
  for (const name of ['odd', 'torn']) {
    await t.rejects(client.request(`${server.url}/${name}`, within), { code: 'bad_encoding' }, name)
  }
  const head = await client.request(`${server.url}/endless`, { ...within, tooLong: 'cut' })
  t.match({ length: head.body.length, cut: head.cut }, { length: within.maxBytes, cut: true })
})

test('an exchange ends in its time, whichever part of it takes longer', async (t) => {
  const server = await serverAt(t, '127.0.0.2', (req, res) => {
    if (req.url === '/headers') return
    res.writeHead(200).flushHeaders()
  })
  const client = clientOf(t, { allowed: ['127.0.0.2'] })
  for (const path of ['headers', 'body']) {
    await t.rejects(client.request(`${server.url}/${path}`, { ...within, timeout: 200 }), { code: 'timed_out' }, path)
  }
  const leaving = AbortSignal.abort(new Error('the caller went'))
  await t.rejects(client.request(server.url, { ...within, signal: leaving }), { message: 'the caller went' })
})

test('what OUTBOUND_ALLOWED names is reached although it is not public, and nothing else is', async (t) => {
  const allowed = await serverAt(t, '127.0.0.2', (_, res) => res.end('a receiver'))
  const other = await serverAt(t, '127.0.0.3', (_, res) => res.end('internal secret'))
  const code = `const client = (await import('#lib/http.ts')).createOutboundClient()
    for (const url of ${JSON.stringify([allowed.url, other.url])})
      console.log(await client.request(url, ${JSON.stringify(within)}).then((r) => String(r.body), (e) => e.code))
    await client.close()`
  const env = childEnvironment({ OUTBOUND_ALLOWED: '10.1.0.0/16, 127.0.0.2, fd00::/8' })
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  t.same(stdout.split('\n'), ['a receiver', 'address_refused', ''])
  t.same(other.seen, [])
  for (const faulty of ['10.0.0.0/8,intranet', '10.0.0.0/33', '10.1']) {
    t.throws(() => readConfig({ OUTBOUND_ALLOWED: faulty }), /OUTBOUND_ALLOWED: must be IP addresses or CIDR/, faulty)
  }
})

test('a body is read while it comes, up to its bound, decompressed; what is not read is not fetched', async (t) => {
  const text = 'a line\n'.repeat(1_000)
  const server = await serverAt(t, '127.0.0.1', (req, res) => {
    if (req.url === '/br') res.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(text))
    else if (req.url === '/odd') res.writeHead(200, { 'content-encoding': 'odd' }).end(text)
    else if (req.url === '/moved') res.writeHead(302, { location: '/br' }).end()
    else res.write(text)
  })
  const client = clientOf(t, { allowed: ['127.0.0.1'] })
  const options = { ...within, redirects: 1 }
  const whole = async ({ body }: { body: AsyncIterable<Buffer> }) => {
    let read = ''
    for await (const chunk of body) read += chunk
    return read
  }
  t.equal(await client.stream(`${server.url}/moved`, options, whole), text)
  await t.rejects(client.stream(`${server.url}/br`, { ...options, maxBytes: 100 }, whole), { code: 'too_large' })
  await t.rejects(client.stream(`${server.url}/odd`, options, whole), { code: 'bad_encoding' })
  await t.rejects(client.stream(`${server.url}/open`, { ...options, timeout: 200 }, whole), { code: 'timed_out' })
  const own = new Error('of the reader')
  await t.rejects(
    client.stream(`${server.url}/open`, options, async () => {
      throw own
    }),
    own,
  )
  const first = await client.stream(`${server.url}/open`, options, async ({ body, status, hops }) => {
    for await (const chunk of body) return { status, hops: hops.length, read: chunk.length > 0 }
    return
  })
  t.same(first, { status: 200, hops: 1, read: true })
  await t.rejects(client.stream('http://127.0.0.2/', options, whole), { code: 'address_refused' })
})
