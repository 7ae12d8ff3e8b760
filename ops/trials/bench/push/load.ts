/** Sends pushes with one client or with the plain protocol at maximum speed. Reports the CPU of each. */
import { createECDH, createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { createPushEngine } from '../../../../workers/push/engine.ts'
import { createTrust } from '../../../../workers/push/servers.ts'
import { sendResult } from '../child.ts'
import { createRawApns, createRawFcm, createRawWebPush, createSigner } from './raw.ts'
import type { SinkPorts } from './sink.ts'

export interface LoadSettings {
  provider: PushCredential['provider']
  side: 'limit' | 'product'
  ports: SinkPorts
  cert: string
  /** Duration in seconds, counted after a warm-up second. */
  seconds: number
}

export interface LoadResult {
  perSecond: number
  cpuMicroseconds: number
}

const { provider, side, ports, cert, seconds } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const url = `https://127.0.0.1:${ports[provider]}`
/** Number of parallel pushes, the same as in the product. */
const atOnce = provider === 'apns' ? 500 : 64
const batch = 500

const browser = createECDH('prime256v1')
browser.generateKeys()
const keys = { p256dh: browser.getPublicKey(), auth: randomBytes(16) }
const device = randomBytes(32).toString('hex')
let count = 0
let isOver = false

function nextPayload(): Record<string, object> {
  const receipt = `receipt-${count}-of-a-delivery`
  const [title, body] = ['Your order is on its way', 'It arrives tomorrow between 10 and 12. Tap to follow it.']
  if (provider === 'apns') return { aps: { alert: { title, body }, sound: 'default' }, millrace: { receipt } }
  if (provider === 'fcm') return { notification: { title, body }, data: { receipt } }
  return { notification: { title, body }, data: { receipt } }
}

const [apnsKey, accountKey] = [
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
].map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()) as [string, string]
const vapid = createECDH('prime256v1')
vapid.generateKeys()
const publicKey = vapid.getPublicKey('base64url')

const credentials: Record<typeof provider, Pick<PushCredential, 'facts' | 'secret'>> = {
  apns: { facts: { key_id: 'ABC123DEFG', team_id: 'TEAM123456', topic: 'com.example.app' }, secret: apnsKey },
  fcm: {
    facts: { project_id: 'bench-project' },
    secret: JSON.stringify({ client_email: 'bench@example.com', private_key: accountKey }),
  },
  webpush: {
    facts: { public_key: publicKey, subject: 'mailto:ops@example.com' },
    secret: vapid.getPrivateKey('base64url'),
  },
}

function product(): () => Promise<void> {
  const servers = { [provider]: new URL(url), secureContext: createTrust(cert), allowed: ['127.0.0.1'] }
  const engine = createPushEngine({ ...servers, timeoutMs: 10_000 })
  const credential = { id: randomUUID(), provider, environment: 'production', ...credentials[provider] } as const
  const token = provider === 'webpush' ? `${url}/push/${device}` : device
  const texts = { p256dh: keys.p256dh.toString('base64url'), auth: keys.auth.toString('base64url') }
  const push = (): Push => ({
    id: randomUUID(),
    token,
    keys: texts,
    payload: nextPayload(),
    ttl: 3_600,
    priority: 'high',
  })
  const signal = new AbortController().signal
  return async () => {
    const results = await engine.send(credential, Array.from({ length: batch }, push), signal)
    const failed = results.find(({ outcome }) => outcome !== 'sent')
    if (failed) throw new Error(`Not sent: ${JSON.stringify(failed)}`)
    count += batch
  }
}

function limit(): () => Promise<void> {
  const send = rawSend()
  return async () => {
    await send(nextPayload())
    count++
  }
}

function rawSend(): (payload: object) => Promise<void> {
  if (provider === 'fcm') {
    const send = createRawFcm(url, cert, atOnce)
    return (payload) => send(device, payload)
  }
  if (provider === 'apns') {
    const send = createRawApns(url, cert, createSigner(createPrivateKey(apnsKey)))
    return (payload) => send(device, payload)
  }
  const [x, y] = [vapid.getPublicKey().subarray(1, 33), vapid.getPublicKey().subarray(33)]
  const d = vapid.getPrivateKey('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', d, x: x.toString('base64url'), y: y.toString('base64url') }
  const send = createRawWebPush(
    url,
    cert,
    publicKey,
    createSigner(createPrivateKey({ format: 'jwk', key: jwk })),
    atOnce,
  )
  return (payload) => send(`/push/${device}`, keys, payload)
}

const step = side === 'limit' ? limit() : product()
const lane = async () => {
  while (!isOver) await step()
}
const lanes = Array.from({ length: side === 'limit' ? atOnce : 2 }, lane)
await new Promise((resolve) => setTimeout(resolve, 1_000))
// On a busy machine the first pushes are slow. If none succeeds, the measurement fails.
const patience = performance.now() + 60_000
while (count < batch && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 100))
const [begun, usage, before] = [performance.now(), process.cpuUsage(), count]
await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
const took = (performance.now() - begun) / 1_000
const { user, system } = process.cpuUsage(usage)
const sent = count - before
isOver = true
await Promise.all(lanes)
sendResult({ perSecond: sent / took, cpuMicroseconds: (user + system) / sent } satisfies LoadResult)
process.exit(0)
