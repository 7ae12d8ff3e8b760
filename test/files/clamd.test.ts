import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createClamd } from '../../workers/scan/clamd/clamd.ts'
import { createScanner } from '../../workers/scan/scanner.ts'
import { testClamd } from '../support/clamd.ts'
import { until } from '../support/until.ts'
import { eicar } from './archives.ts'

const mebibyte = 1024 ** 2
const signal = new AbortController().signal

/** A clamd that takes a stream a little at a time, and tells how many bytes of it came before its end. */
async function slowReader(t: Test) {
  const told = Promise.withResolvers<number>()
  const server = createServer((client) => void read(client).then(told.resolve, told.reject))
  const folder = await mkdtemp(join(tmpdir(), 'millrace-slow-'))
  const socket = join(folder, 'clamd.sock')
  server.listen(socket)
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  return { address: { socket }, told: told.promise }
}

async function read(client: Socket): Promise<number> {
  let kept: Buffer = Buffer.alloc(0)
  let bytes = 0
  let isBegun = false
  for await (const chunk of client) {
    kept = Buffer.concat([kept, chunk as Buffer])
    if (!isBegun && kept.includes(0)) {
      kept = kept.subarray(kept.indexOf(0) + 1)
      isBegun = true
    }
    while (kept.length >= 4 && kept.length >= 4 + kept.readUInt32BE(0)) {
      const length = kept.readUInt32BE(0)
      if (length === 0) {
        client.end('stream: OK\0')
        return bytes
      }
      bytes += length
      kept = kept.subarray(4 + length)
    }
    await pause(1)
  }
  throw new Error('The stream did not end.')
}

t.test('the end of a stream is told to clamd behind the last of its bytes, however slowly it reads', async (t) => {
  for (const size of [8 * mebibyte, 8 * mebibyte + 1, 1]) {
    const { address, told } = await slowReader(t)
    const engine = createClamd(address, 64 * mebibyte)
    const chunks = Array.from({ length: Math.ceil(size / 131_072) }, (_, i) =>
      Buffer.alloc(Math.min(131_072, size - i * 131_072), 7),
    )
    const verdict = await engine.scan(Readable.from(chunks, { objectMode: false }), size, signal)
    t.equal(await told, size)
    t.strictSame(verdict, { status: 'clean' })
  }
})

type Say = (number: number, bytes: Buffer) => string | null | undefined

/** Reads streams off a session's bytes and answers each by `say`: null hangs up, undefined is silence. */
function speak(client: Socket, kept: Buffer, say: Say, number: number): { kept: Buffer; number: number } {
  const start = 'zINSTREAM\0'.length + 4
  const size = kept.length >= start ? kept.readUInt32BE(start - 4) : Number.POSITIVE_INFINITY
  if (kept.length < start + size + 4) return { kept, number }
  const answer = say(number + 1, kept.subarray(start, start + size))
  if (answer === null) client.destroy()
  else if (answer !== undefined) client.write(`${answer}\0`)
  return speak(client, kept.subarray(start + size + 4), say, number + 1)
}

/** A clamd whose sessions answer as `say` does to the `number`th stream of a connection; it can hang up on all. */
async function sessions(t: Test, say: Say, idleMs?: number) {
  const clients = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    clients.add(client.on('error', () => {}).on('close', () => clients.delete(client)))
    let state = { kept: Buffer.alloc(0) as Buffer, number: 0 }
    client.on('data', (chunk: Buffer) => {
      let kept = Buffer.concat([state.kept, chunk])
      if (kept.includes('PING')) return client.end('PONG\n')
      if (kept.includes('zIDSESSION\0')) {
        connections += 1
        kept = kept.subarray('zIDSESSION\0'.length)
      }
      state = speak(client, kept, say, state.number)
    })
  })
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sessions-'))
  const socket = join(folder, 'clamd.sock')
  server.listen(socket)
  await once(server, 'listening')
  const hangUp = () => clients.forEach((client) => void client.destroy())
  t.teardown(async () => {
    hangUp()
    server.close()
    await rm(folder, { recursive: true })
  })
  const allClosed = () => until(() => clients.size === 0, { every: 5, what: 'no connection is open' })
  return { engine: createClamd({ socket }, mebibyte, idleMs), hangUp, allClosed, connections: () => connections }
}

const found = (number: number, bytes: Buffer) =>
  `${number}: stream: ${bytes.includes('bad') ? 'Test.Bad-1 FOUND' : 'OK'}`

t.test('a connection that was closed for want of use is nothing against clamd', async (t) => {
  const { engine, allClosed, connections } = await sessions(t, found, 10)
  for (let scans = 1; scans <= 5; scans++) {
    t.strictSame(await engine.scanBytes(Buffer.from('good'), signal), { status: 'clean' })
    await allClosed()
  }
  t.equal(connections(), 5)
})

t.test('few bytes go over connections that are kept, and a new one where clamd has hung up', async (t) => {
  const { engine, hangUp, connections } = await sessions(t, found)
  const scan = (text: string) => engine.scanBytes(Buffer.from(text), signal)
  for (const text of ['one', 'two', 'three']) t.strictSame(await scan(text), { status: 'clean' })
  t.equal(connections(), 1)
  hangUp()
  t.strictSame(await scan('bad'), { status: 'infected', signature: 'Test.Bad-1' })
  t.equal(connections(), 2)
  const texts = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? `bad ${i}` : `good ${i}`))
  const said = await Promise.all(texts.map(scan))
  t.strictSame(
    said.map(({ status }) => status),
    texts.map((text) => (text.startsWith('bad') ? 'infected' : 'clean')),
  )
  t.ok(connections() <= 13)
})

t.test('an answer to another question, or none, is no verdict', async (t) => {
  for (const say of [() => '7: stream: OK', () => 'stream: OK', () => null, () => '1: stream: weird ERROR']) {
    const { engine } = await sessions(t, say)
    t.match(await engine.scanBytes(Buffer.from('some'), signal), { status: 'error' })
  }
})

t.test('a question that is called off ends with the reason', async (t) => {
  const asked = Promise.withResolvers<void>()
  const { engine } = await sessions(t, () => {
    asked.resolve()
    return undefined
  })
  const called = new AbortController()
  const said = engine.scanBytes(Buffer.from('some'), called.signal)
  await asked.promise
  called.abort(new Error('called off'))
  await t.rejects(said, /called off/)
})

t.test('clamd reads a file itself where it can open it, which is said when it cannot', async (t) => {
  const clamd = await testClamd(t, { maxBytes: mebibyte })
  const folder = await mkdtemp(join(tmpdir(), 'millrace-lent-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await chmod(folder, 0o711)
  const file = async (name: string, bytes: Buffer) => {
    await writeFile(join(folder, name), bytes, { mode: 0o600 })
    return [join(folder, name), bytes.length] as const
  }
  const engine = createClamd({ socket: clamd.socket }, mebibyte)
  const letter = await file('a letter', Buffer.from('a letter'))
  t.same(await engine.scanFile(...letter, signal), { status: 'clean' })
  t.same(await engine.scanFile(relative('.', letter[0]), letter[1], signal), { status: 'clean' }, 'by a relative path')
  t.match(await engine.scanFile(...(await file('eicar.com', eicar)), signal), {
    status: 'infected',
    signature: /icar/i,
  })
  t.match(await engine.scanFile(...(await file('large', Buffer.alloc(mebibyte + 1))), signal), {
    status: 'unscannable',
  })
  t.same(await engine.scanFile(...(await file('empty', Buffer.alloc(0))), signal), { status: 'clean' })
  t.equal(await engine.scanFile(join(folder, 'none'), 1, signal), null)
  t.equal(await createClamd({ host: '127.0.0.1', port: 1 }, mebibyte).scanFile(...letter, signal), null, 'elsewhere')
  const isOwn = (await stat(clamd.socket)).uid === process.getuid?.()
  await chmod(folder, 0o700)
  t.same(await engine.scanFile(...letter, signal), isOwn ? { status: 'clean' } : null, 'where it may not go')
  await clamd.kill()
  for (const socket of [clamd.socket, join(folder, 'none.sock')])
    await t.rejects(createClamd({ socket }, mebibyte).scanFile(...letter, signal), { name: 'ScannerUnavailableError' })
})

t.test('a clamd that calls clean what its limits keep it from reading is no scanner', async (t) => {
  const { socket } = await testClamd(t, { maxBytes: mebibyte, without: 'AlertExceedsMax' })
  const bytes = Buffer.alloc(mebibyte + 1)
  const silent = await createClamd({ socket }, 2 * mebibyte).scanBytes(bytes.subarray(0, mebibyte), signal)
  t.same(silent, { status: 'clean' })
  await t.rejects(createScanner({ socket }, 2 * mebibyte).versions(signal), {
    name: 'ScannerUnavailableError',
    message: /AlertExceedsMax/,
  })
  const { socket: told } = await testClamd(t, { maxBytes: mebibyte })
  t.match(await createScanner({ socket: told }, mebibyte).versions(signal), { engine: /ClamAV/, kind: 'test' })
})

t.test('nothing but the word that the very file is clean is a verdict', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-says-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file')
  await writeFile(path, 'some')
  const says = async (answer: string) => {
    const server = createServer((client) =>
      client.on('data', (asked) => client.end(String(asked) === 'PING' ? 'PONG\n' : `${answer}\0`)),
    )
    const socket = join(folder, `${Math.random()}.sock`)
    server.listen(socket)
    await once(server, 'listening')
    t.teardown(() => server.close())
    return await createClamd({ socket }, mebibyte).scanFile(path, 4, signal)
  }
  t.same(await says(`${path}: OK`), { status: 'clean' })
  t.match(await says(`${path}: Heuristics.Limits.Exceeded.MaxFileSize FOUND`), { status: 'unscannable' })
  for (const answer of [
    `${path}: Excluded`,
    `${path}: Access denied. ERROR`,
    `${path}: File path check failure: Permission denied. ERROR`,
    `${path}: Empty file`,
    `${path}: Heuristics.Limits.Exceeded.MaxFiles FOUND\0${path}: Test.Bad-1 FOUND`,
    `${folder}: OK`,
    'stream: OK',
    'UNKNOWN COMMAND',
    'OK',
  ])
    t.equal(await says(answer), null, JSON.stringify(answer))
})
