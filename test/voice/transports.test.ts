import '../support/voice-environment.ts'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { readTrunks, type Trunk } from '../../workers/voice/trunk.ts'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { annNumber, bobNumber, freePort, phone, startSip, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await voiceStack(t)
const { db, databaseUrl, ask } = stack
const run = promisify(execFile)

const trunksBy = (transport: string, host: string, a: number, b: number) =>
  readTrunks(
    [
      `a=sip:${host}:${a};prefix=${annNumber};transport=${transport}`,
      `b=sip:${host}:${b};prefix=${bobNumber};transport=${transport}`,
    ],
    [],
  ) as [Trunk, ...Trunk[]]

const endedOf = (id: string) =>
  emittedTo(stack.orgId).flatMap(({ type, data }) =>
    type === 'voice.call.ended' && 'id' in data && data.id === id ? [data] : [],
  )

/** A call is connected and hung up by a request; both telephones see it through. */
async function throughAndThrough(t: Test, id: string): Promise<void> {
  await stack.reaches(id, 'in_progress')
  t.equal((await ask(`DELETE /v1/voice/calls/${id}`)).status, 200)
  const ended = await stack.reaches(id)
  t.match(ended, { status: 'completed', reason: 'hung_up', ended_by: 'api' })
  t.match(endedOf(id), [{ reason: 'hung_up', ended_by: 'api', duration_seconds: ended.duration_seconds }])
  t.equal(endedOf(id).length, 1, 'it is told once, with its seconds')
}

t.test('two telephones are connected by TCP', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a', { tcp: true }), phone(t, 'b', { tcp: true })])
  await startSip(t, databaseUrl, db, trunksBy('tcp', '127.0.0.1', a.port, b.port))
  await throughAndThrough(t, await stack.call())
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
})

/** Keys of a name, and a certificate that they have signed themselves. */
async function selfSigned(t: Test, name: string): Promise<{ key: string; cert: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-tls-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await run('openssl', ['req', '-x509', ...curve, '-days', '2', ...subject, '-keyout', key, '-out', cert])
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
}

/** A port that speaks TLS in front of a telephone that does not. */
async function tlsBefore(t: Test, port: number, keys: { key: string; cert: string }) {
  let connections = 0
  const server = createServer(keys, (near) => {
    connections++
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

t.test('by TLS, on one connection, to who has the name’s certificate', async (t) => {
  const keys = await selfSigned(t, 'localhost')
  const [a, b] = await Promise.all([phone(t, 'a', { tcp: true }), phone(t, 'b', { tcp: true })])
  const [nearA, nearB] = [await tlsBefore(t, a.port, keys), await tlsBefore(t, b.port, keys)]
  await startSip(t, databaseUrl, db, trunksBy('tls', 'localhost', nearA.port, nearB.port), {
    tls: { port: 0, ca: keys.cert },
  })
  await throughAndThrough(t, await stack.call())
  for (const one of [a, b]) t.equal(await one.ended, 0, one.errors())
  t.same([nearA.connections(), nearB.connections()], [1, 1])
})

t.test('a trunk whose certificate is another’s is not there', async (t) => {
  const keys = await selfSigned(t, 'another.example')
  const a = await phone(t, 'a', { tcp: true })
  const near = await tlsBefore(t, a.port, keys)
  await startSip(t, databaseUrl, db, trunksBy('tls', 'localhost', near.port, near.port), {
    tls: { port: 0, ca: keys.cert },
  })
  const id = await stack.call()
  t.match(await stack.reaches(id), { status: 'failed', ended_by: 'a' })
  t.equal(endedOf(id).length, 1)
  t.equal(a.process.exitCode, null, 'it waits for a call')
})

/** What comes back on a connection for bytes that a stranger sends: up to `last`, or all until it is closed. */
async function answered(socket: Socket, bytes: string, last?: string): Promise<string> {
  let came = ''
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      came += String(chunk)
      if (last !== undefined && came.includes(last)) resolve()
    })
    socket.once('close', () => resolve())
    socket.on('error', () => resolve())
  })
  socket.write(bytes)
  await done
  return came
}

const options = (id: string, length = 'Content-Length: 0\r\n') =>
  [
    'OPTIONS sip:a@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/TCP 127.0.0.1:9;branch=z9hG4bK${id}`,
    'Max-Forwards: 70',
    'From: <sip:a@b>;tag=1',
    'To: <sip:a@127.0.0.1>',
    `Call-ID: ${id}`,
    'CSeq: 1 OPTIONS',
    `${length}\r\n`,
  ].join('\r\n')

t.test('strangers are answered on their connection, and bytes that are no SIP end it', async (t) => {
  const port = await freePort()
  await startSip(t, databaseUrl, db, trunksBy('tcp', '127.0.0.1', 9, 9), { port })
  const near = () => connect(port, '127.0.0.1')
  const one = near()
  const both = await answered(one, `\r\n\r\n${options('first')}${options('second')}`, 'second')
  t.match(both, /^\r\nSIP\/2.0 200 OK.*first.*SIP\/2.0 200 OK.*second/s, 'a keep-alive is answered, too')
  one.destroy()
  for (const bytes of ['x'.repeat(200_000), options('third', ''), options('fourth', 'Content-Length: 999999\r\n')]) {
    t.equal(await answered(near(), bytes), '', 'it is closed without a word')
  }
  const many = Array.from({ length: 60 }, near)
  for (const socket of many) socket.resume().on('error', () => {})
  const closed = () => many.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length
  await until(() => closed() >= 10, { timeout: 10_000, what: 'those above 50 are closed' })
  t.equal(closed(), 10)
  for (const socket of many) socket.destroy()
})
