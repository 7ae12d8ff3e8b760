import '../support/work-environment.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { madeUp } from '../support/emitted.ts'
import { type Ask, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'

export const scopes = [
  'account:webhooks',
  'account:audit',
  'account:logs',
  'account:read',
  'account:write',
  'account:keys',
]

/** Database, ingress, an organisation, and workers of the pool streams when they are started. */
export async function streamStack(t: TestScope) {
  const { url, db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    only: ['account'],
    services: [provide(services.signingSecret, signingSecret)],
    requestLog: { everyMs: 100, perSecond: 100_000 },
  })
  const { org, keys } = await testOrg(db, scopes)
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
  const read = async (id: string) => (await ask(`GET /v1/account/streams/${id}`)).body
  return {
    ...{ url, db, org, key: keys.main, ask, read, ingress },
    async create(body: object) {
      const {
        status,
        body: stream,
        text,
      } = await ask('POST /v1/account/streams', { body: { name: 'a stream', ...body } })
      if (status !== 201) throw new Error(`${status} ${text}`)
      return stream
    },
    /** Emits events with a number each, in transactions of `size`. */
    async emit(count: number, { from = 0, size = 100, type = 'email.sent' } = {}) {
      for (let at = 0; at < count; at += size) {
        const numbers = Array.from({ length: Math.min(size, count - at) }, (_, i) => from + at + i)
        await db.transaction((tx) =>
          emitMany(
            tx,
            numbers.map((n) => madeUp(org.id, type, { n })),
          ),
        )
      }
    },
    /** Waits until the stream has sent everything of a source. Returns its position. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a position.
    settled: async (id: string, source: string, as: (position: any) => boolean = () => true): Promise<any> =>
      await until(
        async () => {
          const { positions } = await read(id)
          // biome-ignore lint/suspicious/noExplicitAny: as above.
          const found = positions.find((one: any) => one.source === source)
          return found.waiting_since === null && as(found) ? found : false
        },
        { timeout: 60_000, what: `${source} is sent` },
      ),
    async startWorkers() {
      const ends = new AsyncDisposableStack()
      const plan = await createPoolPlan('streams', { db, storage: undefined as unknown as Storage, ends })
      const fleet = await startFleet(url, [plan], { lease: 60_000, sweep: 300, grace: 1_000 }, (why) => t.fail(why))
      const stop = async () => {
        await fleet.stop()
        await ends.disposeAsync()
      }
      t.teardown(stop)
      return { stop }
    },
  }
}
