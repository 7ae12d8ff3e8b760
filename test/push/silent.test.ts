import { createSlots } from '#lib/slots.ts'
import '../support/webhooks-environment.ts'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import type { Push, PushResult } from '#tasks/push/engine.ts'
import { createPartRecorder } from '#tasks/push/rules/as-they-come.ts'
import { judgeAnswer } from '#tasks/push/rules/judge.ts'
import type { PreparedPush } from '#tasks/push/rules/prepare.ts'
import { sendAll } from '../../workers/push/batch.ts'
import { createPushEngine } from '../../workers/push/engine.ts'
import { push as declaration } from '../../workers/push/index.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testOrg } from '../support/ingress.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { startWebPush } from '../support/push-servers/web-push.ts'
import { until } from '../support/until.ts'
import { pushPlan, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const certificate = await makeCertificate(t)
const service = await startWebPush(t, certificate)
// Longer than the test: what hangs does so to its end.
const engine = createPushEngine(serversOf({}, certificate.cert, 60_000))
const { settings, ...plan } = pushPlan(engine, 8)
const share = 'none' in declaration.share ? undefined : declaration.share
const fleet = await startFleet(
  stack.databaseUrl,
  [{ ...plan, settings: { ...settings, share } } as PoolPlan],
  { lease: 60_000, sweep: 500, grace: 100 },
  (why) => t.fail(why),
)
t.teardown(async () => {
  await fleet.stop()
  await engine.close()
})

/** URLs of servers that take connections and never say a word. */
async function silentServers(count: number): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const sockets = new Set<{ destroy(): void }>()
      const server = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.teardown(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    }),
  )
}

/** An app of an organisation with a key for browsers; how its devices are made and sent to. */
async function shopOf(key: string) {
  const done = async (request: string, body: unknown) => {
    const reply = await stack.ask(request, { key, body })
    if (reply.status >= 300) throw new Error(`${request}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const { id, vapid_public_key } = await done('POST /push/v1/apps', { name: 'Shop' })
  return {
    publicKey: vapid_public_key as string,
    device: (user_id: string, { endpoint, keys }: { endpoint: string; keys: unknown }) =>
      done('POST /push/v1/installations', {
        app_id: id,
        user_id,
        push_provider: 'webpush',
        subscription: { endpoint, keys },
      }),
    counts: async (messageId: string) => (await stack.ask(`GET /push/v1/messages/${messageId}`, { key })).body.counts,
    send: async (user: string) =>
      (await done('POST /push/v1/messages', { app_id: id, target: { type: 'user', id: user }, title: 'Hello' }))
        .id as string,
  }
}

t.test('silent endpoints of one organisation hold up no other’s pushes', async (t) => {
  const slow = await shopOf(stack.key)
  const neighbour = await shopOf((await testOrg(stack.db, ['push:send', 'push:manage'])).keys.main)
  const origins = await silentServers(24)
  await Promise.all(
    origins.map((origin, i) =>
      slow.device(`slow-${i}`, { endpoint: `${origin}/x`, keys: service.subscribe(slow.publicKey).keys }),
    ),
  )
  for (const i of origins.keys()) await slow.send(`slow-${i}`)
  const { endpoint, keys } = service.subscribe(neighbour.publicKey)
  await neighbour.device('ann', { endpoint, keys })
  for (let i = 0; i < 5; i++) {
    const before = service.received.length
    await neighbour.send('ann')
    await until(() => service.received.length > before, { timeout: 10_000, what: 'the neighbour’s push arrives' })
  }
  t.equal(service.received.length, 5)
})

t.test('who answers is recorded as sent while others of the batch are silent', async (t) => {
  const shop = await shopOf((await testOrg(stack.db, ['push:send', 'push:manage'])).keys.main)
  const [origin = ''] = await silentServers(1)
  await shop.device('bob', { endpoint: `${origin}/x`, keys: service.subscribe(shop.publicKey).keys })
  for (const { endpoint, keys } of [service.subscribe(shop.publicKey), service.subscribe(shop.publicKey)])
    await shop.device('bob', { endpoint, keys })
  const id = await shop.send('bob')
  const counts = () => shop.counts(id)
  await until(async () => (await counts()).sent === 2, { timeout: 15_000, what: 'two of three are recorded' })
  t.match(await counts(), { sent: 2, queued: 1 })
})

t.test('a batch begins nothing after its time, and hands back the rest', async (t) => {
  const push = (): Push => ({
    id: randomBytes(8).toString('hex'),
    token: 'https://a.example/x',
    payload: {},
    ttl: 60,
    priority: 'normal',
  })
  const { signal } = new AbortController()
  const room = createSlots(1)
  const answers = await sendAll(
    [push(), push(), push()],
    () => room,
    signal,
    async () => {
      for (const end = performance.now() + 1_100; performance.now() < end; ) await new Promise(setImmediate)
      return { outcome: 'unknown', reason: 'timeout' }
    },
    { lastStartMs: 1_000 },
  )
  t.same(
    answers.map(({ reason }) => reason),
    ['timeout', 'not_sent', 'not_sent'],
  )
})

t.test('what a part could not be recorded of is recorded at the end, with the parts after it', async (t) => {
  const sendable = [0, 1, 2, 3].map((at) => ({ at })) as unknown as PreparedPush[]
  const result = (latencyMs: number): PushResult => ({ outcome: 'sent', latencyMs })
  const parts: [number[], boolean][] = []
  const recorder = createPartRecorder({ sendable, ended: [] }, async (part, results, isLast) => {
    const places = part.sendable.map((push) => sendable.indexOf(push))
    t.same(
      results?.map(({ latencyMs }) => latencyMs),
      places,
      'each has its own result',
    )
    parts.push([places, isLast])
    if (places.includes(1) && !isLast) throw new Error('the database is away')
  })
  for (const at of [0, 1, 2]) recorder.some(new Map([[at, result(at)]]))
  await recorder.rest([0, 1, 2, 3].map(result))
  t.same(parts, [
    [[0], false],
    [[1], false],
    [[1, 2, 3], true],
  ])
})

t.test('a push whose server is silent comes back ever more seldom, at no cost of an attempt', async (t) => {
  const silent: PushResult = { outcome: 'retry', reason: 'server_silent', retryAfter: 15, latencyMs: 0 }
  const delayAfter = (minutes: number) => {
    const message = {
      send_at: new Date(Date.now() - minutes * 60_000),
      expires_at: new Date(Date.now() + 86_400_000),
      dry_run: false,
    }
    const verdict = judgeAnswer(silent, { attempts: 0, provider: 'webpush' }, message, false)
    t.match(verdict, { status: 'queued', attempted: false })
    return verdict.delay
  }
  t.ok(delayAfter(0) < 17, 'soon at first')
  t.ok(delayAfter(40) >= 600)
  t.ok(delayAfter(12 * 60) < 1_000, 'a quarter of an hour at most')
})
