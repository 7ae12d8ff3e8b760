import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { type EventData, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import { type Certificate, makeCertificate } from '../../../../test/support/push-servers/certificate.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from '../ground.ts'
import { startIngress, startWorker } from '../product.ts'

/** Push endpoints that never respond, the servers they are spread over, and sources and webhooks that never respond. */
const [endpoints, servers, sources, hooks] = [1_500, 150, 60, 5]

const events = 50
const sample = eventKinds['email.sent'].sample as EventData<'email.sent'>

const atOnce = 24

/**
 * Timeout in milliseconds after which the other organisation's work counts as failed, and interval between its items in
 * milliseconds.
 */
const [mostMs, betweenMs] = [60_000, 60]

const scopes = ['push:send', 'push:manage', 'bots:write', 'trust:read']
const mailScopes = ['email:send', 'email:manage']

/** Duration of the other organisation's work in milliseconds: median and p99. */
interface Took {
  p50: number
  p99: number
}

export interface SilentResult {
  name: string
  idle: Took
  beside: Took
}

interface Ground {
  db: DatabasePool
  base: string
  certificate: Certificate
}

/**
 * Measures another organisation's work in each pool that calls external servers, while the servers of one organisation
 * do not respond.
 */
export async function measureWithSilentServers(
  secret: string,
  seconds: number,
  ends: AsyncDisposableStack,
): Promise<SilentResult[]> {
  const ground = await groundOf(secret, ends)
  const { db, base } = ground
  const kinds = await neighbourOf(ground, ends)
  const measured = async () => {
    const found: Took[] = []
    for (const { work } of kinds) found.push(await timed(work, seconds))
    return found
  }
  await measured()
  const idle = await measured()
  await holdSilent(db, base, await silentServers(ends))
  const beside = await measured()
  return kinds.map(({ name }, i) => ({ name, idle: idle[i] as Took, beside: beside[i] as Took }))
}

async function groundOf(secret: string, ends: AsyncDisposableStack): Promise<Ground> {
  const certificate = await makeCertificate({ teardown: (end) => ends.defer(end) })
  const folder = await createBenchmarkFolder(ends)
  const url = await createBenchmarkDatabase(folder, ends)
  const db = await openPool(url, 2)
  ends.defer(() => db.end())
  const settings = {
    DATABASE_URL: url,
    SIGNING_SECRET: secret,
    PUSH_CA_FILE: certificate.caFile,
    OUTBOUND_ALLOWED: '127.0.0.1',
    WEBHOOK_HTTP: 'true',
    MILLRACE_DATA: await createBenchmarkFolder(ends),
  }
  startWorker(ends, settings, 'push', 'web', 'webhooks')
  return { db, base: await startIngress(ends, settings), certificate }
}

async function neighbourOf({ db, base, certificate }: Ground, ends: AsyncDisposableStack) {
  const { keys } = await createOrg(db, 'prompt', 'unlimited', { main: { prefix: 'bt_live_', scopes } })
  const ask = asker(base, keys.main)
  const arrivals = { push: arrival(), hook: arrival() }
  const listening = async (server: ReturnType<typeof createHttp>) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    ends.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const taking =
    (of: { came(): void }): RequestListener =>
    (req, res) => {
      req.resume()
      req.on('end', () => {
        res.writeHead(201, { 'content-length': 0 }).end()
        of.came()
      })
    }
  const push = await listening(createHttps(certificate, taking(arrivals.push)))
  const hook = await listening(createHttp(taking(arrivals.hook)))
  const page = await listening(createHttp((_, res) => void res.end('here')))
  const app = await shopOf(ask)
  await app.device('ann', `https://${push}/ann`)
  const mail = await createOrg(db, 'prompt mail', 'unlimited', { main: { prefix: 'snd_live_', scopes: mailScopes } })
  await asker(base, mail.keys.main)('POST /send/v1/webhooks', { url: `http://${hook}/`, events: ['*'] })
  const link = { url: `http://${page}/`, expand: true }
  const tell = () => emit(db, mail.org.id, 'email.sent', sample)
  return [
    { name: 'a push to one device', work: () => arrivals.push.after(() => app.send('ann')) },
    { name: 'a link that is followed', work: () => ask('POST /v1/trust/check-url', link) },
    { name: 'a webhook', work: () => arrivals.hook.after(tell) },
  ]
}

async function silentServers(ends: AsyncDisposableStack): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: servers }, async () => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      ends.defer(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    }),
  )
}

/** Lets an organisation wait for silent servers in every way: pushes, bot sources, followed links and webhooks. */
async function holdSilent(db: DatabasePool, base: string, silent: readonly string[]): Promise<void> {
  const { keys } = await createOrg(db, 'silent', 'unlimited', { main: { prefix: 'bt_live_', scopes } })
  const ask = asker(base, keys.main)
  const at = (i: number) => silent[i % silent.length] as string
  const app = await shopOf(ask)
  await inTurns(endpoints, (i) => app.device(`slow-${i}`, `https://${at(i)}/push/${i}`))
  await inTurns(endpoints, (i) => app.send(`slow-${i}`))
  const bot = await ask('POST /v1/bots', { name: 'Silent', system_prompt: 'Answer.' })
  await inTurns(sources, (i) => ask(`POST /v1/bots/${bot.id}/sources`, { url: `http://${at(i)}/${i}` }))
  const mail = await createOrg(db, 'silent mail', 'unlimited', { main: { prefix: 'snd_live_', scopes: mailScopes } })
  const hook = asker(base, mail.keys.main)
  await inTurns(hooks, (i) => hook('POST /send/v1/webhooks', { url: `http://${at(i)}/${i}`, events: ['*'] }))
  await inTurns(events, () => emit(db, mail.org.id, 'email.sent', sample))
}

const asker = (base: string, key: string) => async (request: string, body: unknown) => {
  const [method = '', path = ''] = request.split(' ')
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const reply = await fetch(base + path, { method, headers, body: JSON.stringify(body) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${request}: ${reply.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

async function shopOf(ask: ReturnType<typeof asker>) {
  const { id: app_id } = await ask('POST /push/v1/apps', { name: 'Shop' })
  return {
    device(user_id: string, endpoint: string) {
      const pair = createECDH('prime256v1')
      pair.generateKeys()
      const keys = { p256dh: pair.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') }
      const subscription = { endpoint, keys }
      return ask('POST /push/v1/installations', { app_id, user_id, push_provider: 'webpush', subscription })
    },
    send: (user: string) =>
      ask('POST /push/v1/messages', { app_id, target: { type: 'user', id: user }, title: 'Hello' }),
  }
}

async function inTurns(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

function arrival() {
  let came = () => {}
  return {
    came: () => came(),
    async after(cause: () => Promise<unknown>): Promise<void> {
      const next = Promise.withResolvers<void>()
      came = next.resolve
      await cause()
      await next.promise
    },
  }
}

async function timed(work: () => Promise<unknown>, seconds: number): Promise<Took> {
  const times: number[] = []
  for (const end = performance.now() + seconds * 1_000; performance.now() < end || times.length === 0; ) {
    const begun = performance.now()
    const isDone = await Promise.race([work().then(() => true), pause(mostMs, false)])
    times.push(isDone ? performance.now() - begun : Number.POSITIVE_INFINITY)
    await pause(betweenMs)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}
