import { createCipheriv, createECDH, hkdfSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { Agent as Pool } from 'undici'

export type RawSend = (token: string, payload: object) => Promise<void>

export type Signer = (header: object, claims: object) => string

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const createSigner =
  (key: KeyObject): Signer =>
  (header, claims) => {
    const text = `${encode(header)}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }

/** APNs with node:http2: one session and one provider token. */
export function createRawApns(url: string, ca: string, signed: Signer): RawSend {
  const session = connect(url, { ca, maxSessionMemory: 64 })
  const now = Math.floor(Date.now() / 1000)
  const authorization = `bearer ${signed({ alg: 'ES256', kid: 'ABC123DEFG' }, { iss: 'TEAM123456', iat: now })}`
  return (token, payload) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stream = session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      'apns-id': randomUUID(),
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': 10,
      'apns-expiration': now + 3_600,
      authorization,
    })
    let status: number | undefined
    stream.on('response', (headers) => {
      status = headers[':status']
    })
    stream.on('end', () => (status === 200 ? resolve() : reject(new Error(`APNs: ${status}`))))
    stream.on('error', reject)
    stream.resume()
    stream.end(JSON.stringify(payload))
    return promise
  }
}

/** FCM with node:https and kept connections. */
export function createRawFcm(url: string, ca: string, connections: number): RawSend {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca })
  const path = '/v1/projects/bench-project/messages:send'
  return (token, payload) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const body = JSON.stringify({ message: { token, ...payload } })
    const headers = {
      authorization: 'Bearer any',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const asked = request({ hostname, port, path, method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => (text += part))
      answer.on('end', () => (JSON.parse(text).name ? resolve() : reject(new Error(`FCM: ${answer.statusCode}`))))
    })
    asked.on('error', reject)
    asked.end(body)
    return promise
  }
}

/** Web push with node:crypto and undici, signed once. */
export function createRawWebPush(origin: string, ca: string, publicKey: string, signed: Signer, connections: number) {
  const pool = new Pool({ connect: { ca }, connections })
  const exp = Math.floor(Date.now() / 1000) + 43_200
  const jwt = signed({ typ: 'JWT', alg: 'ES256' }, { aud: origin, exp, sub: 'mailto:ops@example.com' })
  const headers = {
    authorization: `vapid t=${jwt}, k=${publicKey}`,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: '3600',
    urgency: 'high',
  }
  return async (path: string, keys: { p256dh: Buffer; auth: Buffer }, payload: object): Promise<void> => {
    const body = encrypted(Buffer.from(JSON.stringify(payload)), keys)
    const { statusCode, body: answer } = await pool.request({ origin, path, method: 'POST', headers, body })
    await answer.dump()
    if (statusCode !== 201) throw new Error(`web push: ${statusCode}`)
  }
}

/** RFC 8291: one record, encrypted for one browser with a new key. */
function encrypted(text: Buffer, { p256dh, auth }: { p256dh: Buffer; auth: Buffer }): Buffer {
  const derive = (key: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, Buffer.from(info), length))
  const pair = createECDH('prime256v1')
  const own = pair.generateKeys()
  const salt = randomBytes(16)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, own])
  const ikm = derive(pair.computeSecret(p256dh), auth, info, 32)
  const cipher = createCipheriv(
    'aes-128-gcm',
    derive(ikm, salt, 'Content-Encoding: aes128gcm\0', 16),
    derive(ikm, salt, 'Content-Encoding: nonce\0', 12),
  )
  const head = Buffer.alloc(5)
  head.writeUInt32BE(4_096)
  head[4] = own.length
  const sealed = [cipher.update(text), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, head, own, ...sealed])
}
