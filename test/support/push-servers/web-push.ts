import { createECDH, createPublicKey, type ECDH, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Scope } from '../postgres.ts'
import type { Certificate } from './certificate.ts'
import { decrypt } from './decrypt.ts'
import { readJwt } from './jwt.ts'
import { Script } from './script.ts'

export type WebPushAnswer = Answer | 'close' | 'silence'

interface Answer {
  status: number
  body?: string
  headers?: Record<string, string>
}

/** A browser’s subscription with its private keys. */
export interface Subscription {
  name: string
  endpoint: string
  keys: { p256dh: string; auth: string }
  pair: ECDH
  secret: Buffer
  /** The only accepted signing key (RFC 8292 §4). */
  vapid: string
}

export interface WebPushRequest {
  name: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** The decrypted text. */
  text: string
}

/** An HTTPS server with the rules of a push service (RFC 8030, RFC 8292). */
export interface WebPushServer {
  url: string
  script: Script<WebPushAnswer>
  received: WebPushRequest[]
  connections(): number
  /** Subscribes a browser, for the credential’s key or another one. Its name is the last part of its endpoint. */
  subscribe(vapid?: string): Subscription
  credential: { facts: { public_key: string; subject: string }; secret: string }
}

export async function startWebPush(t: Scope, { cert, key }: Certificate): Promise<WebPushServer> {
  const script = new Script<WebPushAnswer>()
  const received: WebPushRequest[] = []
  const subscriptions = new Map<string, Subscription>()
  const own = createECDH('prime256v1')
  own.generateKeys()
  const publicKey = own.getPublicKey('base64url')
  let connections = 0
  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (req, res) => void take(req, res))
  server.on('secureConnection', () => connections++)
  const urlOf = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req).catch(() => undefined)
    if (!body) return
    const name = req.url?.split('/').at(-1) ?? ''
    const subscription = subscriptions.get(name)
    const answer = faultOf(req, body, subscription) ?? script.next(name) ?? created(name)
    if (subscription) {
      const text = decrypt(body, subscription.pair, subscription.secret).toString('utf8')
      received.push({ name, headers: req.headers, body, text })
    }
    if (answer === 'silence') return
    if (answer === 'close') return void res.socket?.destroy()
    res.writeHead(answer.status, answer.headers)
    res.end(answer.body)
  }

  const created = (name: string): Answer => ({
    status: 201,
    headers: { location: `${urlOf()}/message/${name}-${received.length}`, ttl: '60' },
  })

  /** Returns the error that a push service would return for a request. */
  function faultOf(req: IncomingMessage, body: Buffer, subscription: Subscription | undefined): Answer | undefined {
    const { ttl, topic = '', authorization = '', 'content-encoding': encoding } = req.headers
    if (!subscription) return { status: 404 }
    if (!/^\d+$/.test(String(ttl))) return { status: 400, body: 'TTL' }
    if (!/^[\w-]{0,32}$/.test(String(topic))) return { status: 400, body: 'Topic' }
    if (encoding !== 'aes128gcm') return { status: 400, body: 'Content-Encoding' }
    if (body.length > 4_096) return { status: 413 }
    return isSigned(authorization, subscription) ? undefined : { status: 403, body: '{"reason":"VapidPkHashMismatch"}' }
  }

  /** True if the subscription’s key has signed for this service and for up to a day (RFC 8292 §2). */
  function isSigned(authorization: string, { vapid }: Subscription): boolean {
    const [, token = '', k] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
    const jwt = readJwt(token)
    const { aud, exp, sub } = jwt?.claims ?? {}
    const seconds = Number(exp) - Date.now() / 1000
    const isForUs = k === vapid && aud === urlOf() && seconds > 0 && seconds < 86_400 && sub !== undefined
    return isForUs && jwt?.signedBy(keyOf(vapid)) === true
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    script,
    received,
    url: urlOf(),
    connections: () => connections,
    subscribe(vapid = publicKey) {
      const name = randomBytes(8).toString('hex')
      const pair = createECDH('prime256v1')
      pair.generateKeys()
      const secret = randomBytes(16)
      const keys = { p256dh: pair.getPublicKey('base64url'), auth: secret.toString('base64url') }
      const subscription = { name, endpoint: `${urlOf()}/push/${name}`, keys, pair, secret, vapid }
      subscriptions.set(name, subscription)
      return subscription
    },
    credential: {
      facts: { public_key: publicKey, subject: 'mailto:ops@example.com' },
      secret: privateOctets(own).toString('base64url'),
    },
  }
}

/** The 32 octets of a private key. Node omits leading zeros. */
function privateOctets(pair: ECDH): Buffer {
  const octets = pair.getPrivateKey()
  return Buffer.concat([Buffer.alloc(32 - octets.length), octets])
}

function keyOf(point: string) {
  const bytes = Buffer.from(point, 'base64url')
  const x = bytes.subarray(1, 33).toString('base64url')
  const y = bytes.subarray(33).toString('base64url')
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
}
