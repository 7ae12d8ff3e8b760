import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { type EventData, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { startIngress, startWorker } from './product.ts'

/** Number of simultaneous requests, and of the organisation's own endpoints that are compared. */
const [atOnce, ownEndpoints] = [64, 50]

export const hooks: Benchmark = {
  summary: 'messages to the endpoints of many customers compared with events to own webhooks, per second',
  options: {
    apps: { about: 'customers, each with one endpoint', default: 1_000 },
    messages: { about: 'messages', default: 6_000 },
  },
  async run({ apps = 1_000, messages = 6_000 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const settings = {
      DATABASE_URL: url,
      SIGNING_SECRET: randomBytes(24).toString('hex'),
      OUTBOUND_ALLOWED: '127.0.0.1',
      WEBHOOK_HTTP: 'true',
      MILLRACE_DATA: await createBenchmarkFolder(ends),
    }
    const base = await startIngress(ends, settings)
    startWorker(ends, settings, 'webhooks')
    const receiver = await startReceiver(ends)
    const { keys } = await createOrg(db, 'customers', 'unlimited', {
      main: { prefix: 'bt_live_', scopes: ['hooks:write'] },
    })
    const ask = asker(base, keys.main)
    await ask('/v1/hooks/event-types', { name: 'invoice.paid' })
    await inTurns(apps, async (i) => {
      await ask('/v1/hooks/apps', { name: `App ${i}`, uid: `app-${i}` })
      await ask(`/v1/hooks/apps/app-${i}/endpoints`, { url: `${receiver.url}/${i}` })
    })
    const payload = { invoice_id: 'in_1042', amount: 1_900, customer: { name: 'Acme Ltd', country: 'EE' } }
    const message = { event_type: 'invoice.paid', payload }
    await inTurns(atOnce, (i) => ask(`/v1/hooks/apps/app-${i}/messages`, message))
    await receiver.reach(atOnce)
    const begun = performance.now()
    await inTurns(messages, (i) => ask(`/v1/hooks/apps/app-${i % apps}/messages`, message))
    const accepted = performance.now() - begun
    await receiver.reach(atOnce + messages)
    const delivered = performance.now() - begun
    const own = await measureOwn(db, base, messages, receiver)
    const perSecond = (ms: number) => (messages * 1_000) / ms
    return {
      comparisons: [
        {
          what: 'messages delivered, against events to own webhooks',
          unit: '/s',
          limit: perSecond(own),
          product: perSecond(delivered),
          demand: { atLeast: 0.3 },
        },
      ],
      notes: [
        `${messages} messages to ${apps} customers: ${Math.round(perSecond(accepted))}/s accepted by HTTP while they are delivered, ${Math.round(perSecond(delivered))}/s delivered`,
        `the own events are added in groups of 100 without HTTP, for ${ownEndpoints} endpoints`,
      ],
      rounds: { accepted, delivered, own },
    }
  },
}

interface Receiver {
  url: string
  count(): number
  /** Waits until so many requests have arrived. */
  reach(count: number): Promise<void>
}

async function startReceiver(ends: AsyncDisposableStack): Promise<Receiver> {
  let count = 0
  let waiting: { count: number; resolve: () => void } | undefined
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(204).end()
      count++
      if (waiting && count >= waiting.count) waiting.resolve()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    async reach(wanted) {
      if (count >= wanted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { count: wanted, resolve }
      await promise
    },
  }
}

/** Returns the milliseconds until as many events have reached the organisation's own endpoints. */
async function measureOwn(db: DatabasePool, base: string, events: number, receiver: Receiver): Promise<number> {
  const scopes = ['account:webhooks'] as const
  const { org, keys } = await createOrg(db, 'own', 'unlimited', { main: { prefix: 'bt_live_', scopes: [...scopes] } })
  const ask = asker(base, keys.main)
  await inTurns(ownEndpoints, (i) =>
    ask('/v1/account/webhooks', { url: `${receiver.url}/own/${i}`, types: ['email.sent'] }),
  )
  // Each event reaches all endpoints.
  const group = Math.max(1, Math.floor(100 / ownEndpoints))
  const data = eventKinds['email.sent'].sample as EventData<'email.sent'>
  const before = receiver.count()
  const begun = performance.now()
  const total = Math.floor(events / ownEndpoints)
  for (let at = 0; at < total; at += group)
    await db.transaction((tx) =>
      emitMany(
        tx,
        Array.from({ length: Math.min(group, total - at) }, () => ({
          orgId: org.id,
          type: 'email.sent' as const,
          data,
        })),
      ),
    )
  await receiver.reach(before + total * ownEndpoints)
  return performance.now() - begun
}

const asker = (base: string, key: string) => async (path: string, body: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const reply = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text.slice(0, 300)}`)
}

async function inTurns(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}
