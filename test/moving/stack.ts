import { createOutboundClient, withLoopback } from '#lib/http.ts'
import type { DatabasePool } from '#sql/db.ts'
import { importAll } from '#tasks/moving/import.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { providers } from './providers.ts'

const scopes = ['account:read', 'email:manage', 'email:send', 'push:manage', 'push:send', 'stream:read', 'stream:write']

/** The API with a worker that imports from a stand-in of the providers. */
export async function movingStack(t: TestScope, { worker = true, areas = [] as string[] } = {}) {
  const source = providers()
  const { db, url: databaseUrl } = await testDatabase(t)
  const services = [provide(signingSecret, 'a signing secret of the tests alone')]
  const ingress = await testIngress(t, db, [], { only: ['moving', 'email', 'push', 'video', ...areas], services })
  if (worker) await startWorker(t, databaseUrl)
  return { db, databaseUrl, ingress, source, customer: () => customer(db, ingress.ask) }
}

async function startWorker(t: TestScope, databaseUrl: string): Promise<void> {
  const outbound = createOutboundClient(withLoopback)
  const plan = {
    pool: 'web' as const,
    settings: { concurrency: 4, fetchAhead: 0 },
    tasks: [importAll],
    // The imports use nothing else of the pool.
    tools: { outbound } as never,
  }
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(async () => {
    await fleet.stop()
    await outbound.close()
  })
}

/** An organisation that moves. */
async function customer(db: DatabasePool, request: (path: string, options?: Ask) => Promise<Reply>) {
  const { org, keys } = await testOrg(db, scopes)
  const ask = (path: string, options: Ask = {}) => request(path, { key: keys.main, ...options })
  const read = async (id: string) => (await ask(`GET /v1/moving/imports/${id}`)).body
  return {
    org,
    key: keys.main,
    ask,
    read,
    start: (body: object) => ask('POST /v1/moving/imports', { body }),
    /** Waits until an import has one of these states. */
    reaches: (id: string, ...states: string[]) =>
      until(
        async () => {
          const found = await read(id)
          return states.includes(found.status) && found
        },
        { timeout: 40_000, what: `the import is ${states.join(' or ')}` },
      ),
    rows: async (id: string, query = '') =>
      (await ask(`GET /v1/moving/imports/${id}/rows?limit=100${query}`)).body.data,
  }
}
