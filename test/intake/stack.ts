import '../support/work-environment.ts'
import { execFileSync } from 'node:child_process'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'

/** The area intake: database, ingress, one organisation, and workers when they are started. */
export interface IntakeStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a source.
  add(form: object): Promise<any>
  /** Sends a webhook to the URL of a source. */
  post(source: { url: string }, raw: string | Uint8Array, headers?: Record<string, string>): Promise<Reply>
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a request.
  list(query?: string): Promise<any[]>
  /** Waits until a request fulfils the condition. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a request.
  settled(id: string, is: (request: any) => boolean): Promise<any>
  startWorkers(): Promise<void>
}

export async function intakeStack(t: TestScope, { plan = 'unlimited' } = {}): Promise<IntakeStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    only: ['intake', 'jobs', 'account'],
    services: [provide(services.signingSecret, signingSecret)],
  })
  const { org, keys } = await testOrg(db, ['intake:write', 'jobs:write', 'account:read'], { plan })
  const ask: IntakeStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  return {
    ...{ db, databaseUrl, ingress, orgId: org.id, key: keys.main, ask },
    async add(form) {
      const { status, text, body } = await ask('POST /v1/intake/sources', { body: form })
      if (status !== 201) throw new Error(`${status} ${text}`)
      return body
    },
    post: ({ url }, raw, headers = {}) =>
      ingress.ask(`POST ${new URL(url).pathname}`, {
        raw,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    list: async (query = '') => (await ask(`GET /v1/intake/requests?limit=100${query}`)).body.data,
    settled: (id, is) =>
      until(
        async () => {
          const { body } = await ask(`GET /v1/intake/requests/${id}`)
          return is(body) && body
        },
        { timeout: 30_000, what: `request ${id} is as expected` },
      ),
    async startWorkers() {
      const ends = new AsyncDisposableStack()
      const tools = { db, storage: undefined as unknown as Storage, ends }
      const plans = [await createPoolPlan('calls', tools), await createPoolPlan('core', tools)]
      const settings = { lease: 60_000, sweep: 300, grace: 1_000 }
      const fleet = await startFleet(databaseUrl, plans, settings, (why) => t.fail(why))
      t.teardown(async () => {
        await fleet.stop()
        await ends.disposeAsync()
      })
    },
  }
}

/** Returns the HMAC that the program openssl computes. */
export function openssl(
  algorithm: string,
  secret: string,
  text: string | Uint8Array,
  encoding: 'hex' | 'base64' = 'hex',
): string {
  const key = `hexkey:${Buffer.from(secret).toString('hex')}`
  const args = ['dgst', `-${algorithm}`, '-mac', 'HMAC', '-macopt', key, '-binary']
  return execFileSync('openssl', args, { input: text }).toString(encoding)
}

export const seconds = (ago = 0): string => String(Math.floor(Date.now() / 1000) - ago)
