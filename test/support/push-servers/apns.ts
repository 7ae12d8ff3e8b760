import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import {
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Scope } from '../postgres.ts'
import type { Certificate } from './certificate.ts'
import { readJwt } from './jwt.ts'
import { Script } from './script.ts'

export type ApnsAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'close'
  /** Ends this stream and later ones with GOAWAY, like a server that shuts down. */
  | 'goaway'
  | 'refuse'
  /** Never responds on a connection that stays alive. */
  | 'silence'

export interface ApnsRequest {
  token: string
  headers: IncomingHttpHeaders
  payload: unknown
  /** Number of the connection, from 1. */
  connection: number
}

export interface ApnsServer {
  url: string
  script: Script<ApnsAnswer>
  received: ApnsRequest[]
  /** Returns the number of connections. */
  connections(): number
  /** Key, team and topic that it accepts, as in a credential. */
  credential: { facts: { key_id: string; team_id: string; topic: string }; secret: string }
  /** From now on, existing connections pass no data. New ones work. */
  blackHole(): void
}

export async function startApns(t: Scope, { cert, key }: Certificate): Promise<ApnsServer> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = createPublicKey(pair.privateKey)
  const facts = { key_id: 'ABC123DEFG', team_id: 'TEAM123456', topic: 'com.example.app' }
  const script = new Script<ApnsAnswer>()
  const received: ApnsRequest[] = []
  const numbers = new Map<ServerHttp2Session, number>()
  const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 1_000 } })

  server.on('session', (session) => {
    numbers.set(session, numbers.size + 1)
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    void take(stream, headers).catch(() => {})
  })

  async function take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const session = stream.session as ServerHttp2Session
    const body = await buffer(stream)
    const token = /^\/3\/device\/(.+)$/.exec(String(headers[':path']))?.[1] ?? ''
    const payload = body.length > 0 ? JSON.parse(body.toString('utf8')) : undefined
    received.push({ token, headers, payload, connection: numbers.get(session) ?? 0 })
    act(stream, session, headers, faultOf(headers, token, body) ?? script.next(token) ?? { status: 200 })
  }

  function act(
    stream: ServerHttp2Stream,
    session: ServerHttp2Session,
    headers: IncomingHttpHeaders,
    answer: ApnsAnswer,
  ) {
    if (answer === 'silence') return
    if (answer === 'close') return session.destroy()
    if (answer === 'refuse') return stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (answer === 'goaway') {
      const reason = Buffer.from(JSON.stringify({ reason: 'Shutdown' }))
      session.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 1) - 2, reason)
      return session.close()
    }
    const id = String(headers['apns-id'] ?? randomUUID())
    stream.respond({ ':status': answer.status, 'apns-id': id, ...answer.headers })
    stream.end(answer.body === undefined ? undefined : JSON.stringify(answer.body))
  }

  /** Returns the error that APNs would return for a request. */
  function faultOf(headers: IncomingHttpHeaders, token: string, body: Buffer): ApnsAnswer | undefined {
    const [status, reason] = tokenFault(headers) ?? contentFault(headers, token, body) ?? []
    return status === undefined ? undefined : { status, body: { reason } }
  }

  function tokenFault({ authorization = '' }: IncomingHttpHeaders): Fault | undefined {
    const jwt = readJwt(authorization.replace(/^bearer /, ''))
    if (!jwt) return [403, 'MissingProviderToken']
    const { kid, alg } = jwt.header
    const isOurs = kid === facts.key_id && alg === 'ES256' && jwt.claims.iss === facts.team_id
    if (!isOurs || !jwt.signedBy(publicKey)) return [403, 'InvalidProviderToken']
    const age = Math.abs(Date.now() / 1000 - Number(jwt.claims.iat))
    return age > 3_600 ? [403, 'ExpiredProviderToken'] : undefined
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wire = await startWire((server.address() as AddressInfo).port)
  t.teardown(async () => {
    wire.close()
    for (const session of numbers.keys()) session.destroy()
    server.close()
  })
  return {
    script,
    received,
    blackHole: wire.blackHole,
    connections: wire.connections,
    url: `https://127.0.0.1:${wire.port}`,
    credential: { facts, secret: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
  }
}

type Fault = [status: number, reason: string]

function contentFault(headers: IncomingHttpHeaders, token: string, body: Buffer): Fault | undefined {
  const header = (name: string) => String(headers[`apns-${name}`] ?? '')
  const faults: [boolean, ...Fault][] = [
    [header('topic') === '', 400, 'MissingTopic'],
    [header('push-type') === '', 400, 'InvalidPushType'],
    [header('push-type') === 'background' && header('priority') !== '5', 400, 'BadPriority'],
    [Buffer.byteLength(header('collapse-id')) > 64, 400, 'BadCollapseId'],
    [body.length === 0, 400, 'PayloadEmpty'],
    [body.length > 4_096, 413, 'PayloadTooLarge'],
    [!/^[0-9a-f]{64,200}$/i.test(token) || /^0+$/.test(token), 400, 'BadDeviceToken'],
  ]
  const [, ...fault] = faults.find(([isSo]) => isSo) ?? []
  return fault.length === 2 ? fault : undefined
}

/** A connection between client and server that can lose all data. */
async function startWire(target: number) {
  const sockets = new Set<Socket>()
  const lost = new WeakSet<Socket>()
  let count = 0
  const wire = createServer((near) => {
    count++
    const far = connect(target, '127.0.0.1')
    const isLost = () => lost.has(near)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => void (isLost() || to.write(chunk)))
      from.on('close', () => void (isLost() || to.destroy()))
      from.on('error', () => {})
      sockets.add(from)
    }
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  return {
    port: (wire.address() as AddressInfo).port,
    connections: () => count,
    blackHole: () => {
      for (const socket of sockets) lost.add(socket)
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      wire.close()
    },
  }
}
