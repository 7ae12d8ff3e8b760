import '../support/work-environment.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'

/** A request as it arrived at the test server. */
export interface Received {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  at: number
}

/** A server of a customer on loopback. */
export interface JobServer {
  url: string
  received: Received[]
  /** Answers requests from now on. Default: 204. */
  answer: (request: Received, res: ServerResponse, req: IncomingMessage) => void
  /** Waits until so many requests have arrived, on a path if one is named. */
  has(count: number, path?: string): Promise<Received[]>
}

export async function jobServer(t: TestScope): Promise<JobServer> {
  const received: Received[] = []
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = req.headers as Record<string, string>
    const body = Buffer.concat(chunks).toString()
    const request = { method: req.method ?? '', path: req.url ?? '', headers, body, at: Date.now() }
    received.push(request)
    server.answer(request, res, req)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  const server: JobServer = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (_, res) => void res.writeHead(204).end(),
    async has(count, path) {
      const found = () => received.filter((one) => path === undefined || one.path === path)
      await until(() => found().length >= count, { timeout: 30_000, what: `${count} requests arrive at ${path}` })
      return found()
    },
  }
  return server
}

/** Database, ingress, an organisation with its server, and workers of the pool calls when they are started. */
export interface WorkStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  server: JobServer
  ask(request: string, options?: Ask): Promise<Reply>
  /** Creates a job for a path of the server. */
  create(path: string, more?: object): Promise<Reply>
  read(id: string): Promise<Reply>
  /** Waits until a job has the status. Returns the job as the API shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a job.
  ended(id: string, status?: string): Promise<any>
  startWorkers(settings?: Partial<PoolPlan['settings']>): Promise<{ stop(): Promise<void> }>
}

export async function workStack(t: TestScope, areas: string[] = []): Promise<WorkStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const server = await jobServer(t)
  const ingress = await testIngress(t, db, [], {
    only: ['jobs', 'account', ...areas],
    services: [provide(services.signingSecret, signingSecret)],
  })
  const { org, keys } = await testOrg(db, ['jobs:read', 'jobs:write', 'account:read', 'account:webhooks'])
  const ask: WorkStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  const read = (id: string) => ask(`GET /v1/jobs/${id}`)
  return {
    ...{ db, databaseUrl, ingress, orgId: org.id, key: keys.main, server, ask, read },
    create: (path, more = {}) => ask('POST /v1/jobs', { body: { url: server.url + path, ...more } }),
    ended: (id, status = 'completed') =>
      until(
        async () => {
          const { body } = await read(id)
          return body.status === status && body
        },
        { timeout: 30_000, what: `job ${id} is ${status}` },
      ),
    async startWorkers(settings = {}) {
      const ends = new AsyncDisposableStack()
      const plan = await createPoolPlan('calls', { db, storage: undefined as unknown as Storage, ends })
      const wanted = { ...plan, settings: { ...plan.settings, ...settings } }
      const fleet = await startFleet(databaseUrl, [wanted], { lease: 60_000, sweep: 300, grace: 1_000 }, (why) =>
        t.fail(why),
      )
      let isStopped = false
      const stop = async () => {
        if (isStopped) return
        isStopped = true
        await fleet.stop()
        await ends.disposeAsync()
      }
      t.teardown(stop)
      return { stop }
    },
  }
}
