import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { Millrace } from '../../sdk/node/src/index.ts'
import { ensureCluster, freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { served } from './served.ts'

t.setTimeout(400_000)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the example with the client of this repository as its package. */
async function shopFolder(): Promise<string> {
  const folder = t.testdir()
  await cp(join(root, 'sdk/node/examples/shop'), folder, { recursive: true })
  const millrace = join(folder, 'node_modules/millrace')
  await mkdir(millrace, { recursive: true })
  const exports = { '.': './src/index.ts', './outbox': './src/outbox/index.ts' }
  await writeFile(join(millrace, 'package.json'), JSON.stringify({ type: 'module', exports }))
  await symlink(join(root, 'sdk/node/src'), join(millrace, 'src'))
  await symlink(join(root, 'node_modules/pg'), join(folder, 'node_modules/pg'))
  return folder
}

/** An empty database of the application, and a pool of it, until the test ends. */
async function applicationDatabase(): Promise<{ url: string; db: pg.Pool }> {
  const admin = new pg.Client({ connectionString: await ensureCluster() })
  await admin.connect()
  const name = `shop_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name}`)
  const url = Object.assign(new URL(await ensureCluster()), { pathname: `/${name}` }).href
  const db = new pg.Pool({ connectionString: url, max: 2 })
  t.teardown(async () => {
    for (const child of started) child.kill('SIGKILL')
    await db.end()
    // Without force, which would cause errors of connections that are ending.
    const drop = () => admin.query(`drop database ${name}`)
    await until(() => drop().then(Boolean, () => false), { what: 'no program uses the database of the shop' })
    await admin.end()
  })
  return { url, db }
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A payment provider that fails for the first request of each order, and declines amounts above 20,000. */
const charges: { key: string; status: number }[] = []
const payments = await listen(async (request, response) => {
  const { cents } = JSON.parse(await text(request)) as { cents: number }
  const key = String(request.headers['idempotency-key'])
  const status = cents > 20_000 ? 402 : charges.some((one) => one.key === key) ? 201 : 503
  charges.push({ key, status })
  response.writeHead(status, { 'retry-after': '1' }).end()
})

interface Caught {
  envelope: { rcpt_to: string[] }
}

/** The endpoint of a merchant, which verifies with an independent library. */
const received: { order: string; id: string }[] = []
let merchantSecret = ''
const merchant = await listen(async (request, response) => {
  const body = new Webhook(merchantSecret).verify(await text(request), headersOf(request)) as { order: string }
  received.push({ order: body.order, id: String(request.headers['webhook-id']) })
  response.writeHead(204).end()
})

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const { baseUrl, keys, mailUrl } = await served(t)
const client = new Millrace({ baseUrl, apiKey: keys.millrace ?? '' })
const started: ChildProcess[] = []
const { url: databaseUrl, db } = await applicationDatabase()
const folder = await shopFolder()
const port = await freePort()
const shop = `http://127.0.0.1:${port}`
const environment = {
  ...{ MILLRACE_BASE_URL: baseUrl, MILLRACE_API_KEY: keys.millrace ?? '', DATABASE_URL: databaseUrl },
  ...{ PORT: String(port), SHOP_URL: shop, PAYMENTS_URL: payments, SHOP_SENDER: 'orders@dev.example' },
}

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: folder, env: childEnvironment(environment), stdio: 'inherit' })
  started.push(child)
  return child
}

async function run(...args: string[]): Promise<void> {
  const [code] = await once(start(...args), 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
}

const outbox = (...args: string[]) => [join(root, 'sdk/node/src/outbox/cli.ts'), ...args, '--database', databaseUrl]

const place = (order: object) => fetch(`${shop}/orders`, { method: 'POST', body: JSON.stringify(order) })

await run(...outbox('install'))
await run('setup.mjs')
await run('setup.mjs') // It can be repeated.

const server = start('server.mjs')
await until(async () => (await fetch(shop).catch(() => null)) !== null, { timeout: 30_000, what: 'the shop is open' })

t.test('a merchant adds its endpoint; the portal opens with a link of the shop', async (t) => {
  const endpoint = await client.hooks.endpoints.create('acme', { url: merchant, types: ['order.paid'] })
  merchantSecret = endpoint.secret
  const link = await fetch(`${shop}/merchants/acme/webhooks`, { redirect: 'manual' })
  t.equal(link.status, 302)
  t.equal((await fetch(link.headers.get('location') ?? '')).status, 200)
})

t.test('orders are paid once, although the relay is killed; a rolled-back order does nothing', async (t) => {
  const relay = start(...outbox('relay'))
  const first = (await (await place({ item: 'lamp', quantity: 1, email: 'ann@example.org' })).json()) as { id: string }
  const refused = await place({ item: 'lamp', quantity: 50, email: 'bob@example.org' })
  t.equal(refused.status, 409)
  relay.kill('SIGKILL')
  await once(relay, 'close')
  const others = await Promise.all(
    ['cy@example.org', 'di@example.org', 'ed@example.org'].map(async (email) => {
      const reply = await place({ item: 'lamp', quantity: 1, email })
      return ((await reply.json()) as { id: string }).id
    }),
  )
  const orders = [first.id, ...others]
  start(...outbox('relay'))
  const paid = async () => (await db.query("select id from orders where state = 'paid'")).rows.map(({ id }) => id)
  await until(async () => (await paid()).length === orders.length, { timeout: 60_000, what: 'the orders are paid' })
  t.same((await paid()).toSorted(), orders.toSorted())
  for (const id of orders) {
    const of = charges.filter(({ key }) => key === id).map(({ status }) => status)
    t.same(of, [503, 201], 'the first request failed, and the job was retried')
  }
  await until(() => received.length >= orders.length, { timeout: 60_000, what: 'the merchant is notified' })
  t.same(received.map(({ order }) => order).toSorted(), orders.toSorted())

  const mails = async () => {
    const { messages } = (await (await fetch(`${mailUrl}/messages.json`)).json()) as { messages: Caught[] }
    return messages.flatMap(({ envelope }) => envelope.rcpt_to).toSorted()
  }
  await until(async () => (await mails()).length >= orders.length, { timeout: 60_000, what: 'the emails are caught' })
  t.same(await mails(), ['ann@example.org', 'cy@example.org', 'di@example.org', 'ed@example.org'])
  const jobs = []
  for await (const job of client.jobs.list({ group: 'charges' })) jobs.push(job)
  t.equal(jobs.length, orders.length)
  t.same(new Set(jobs.map(({ status }) => status)), new Set(['completed']))
  t.same((await db.query('select * from millrace.failures')).rows, [])
})

t.test('a declined card ends the job without a retry', async (t) => {
  const reply = await place({ item: 'chair', quantity: 2, email: 'fay@example.org' })
  const { id } = (await reply.json()) as { id: string }
  const state = async () => (await db.query('select state from orders where id = $1', [id])).rows[0]?.state
  await until(async () => (await state()) === 'declined', { timeout: 60_000, what: 'the order is declined' })
  await until(async () => (await client.jobs.list({ status: 'failed' })).data.length === 1, { what: 'the job failed' })
  t.same(
    charges.filter(({ key }) => key === id).map(({ status }) => status),
    [402],
  )
})

t.test('the schedule starts the report', async (t) => {
  const { data } = await client.jobs.schedules.list()
  const [nightly] = data
  t.match(nightly, { name: 'nightly-report', time_zone: 'Europe/Berlin', state: 'active' })
  await client.jobs.schedules.trigger(nightly?.id ?? '')
  const reports = async () => (await db.query('select orders from reports')).rows
  await until(async () => (await reports()).length === 1, { timeout: 60_000, what: 'the report is stored' })
  t.same(await reports(), [{ orders: 4 }])
})

t.test('the shop ends with SIGTERM', async (t) => {
  server.kill('SIGTERM')
  await until(() => server.exitCode !== null, { timeout: 10_000, what: 'the shop has ended' })
  t.equal(server.exitCode, 0)
})
