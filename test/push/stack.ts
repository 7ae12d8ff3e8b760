import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createSeal } from '#lib/seal.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { sealPurpose } from '#sql/push/credentials.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { Push, PushCredential, PushEngine, PushResult } from '#tasks/push/engine.ts'
import { signReceipts } from '#tasks/push/rules/receipt-token.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

/** Seals the credentials of every stack. */
export const secret = 'a signing secret of the push tests alone'

/** A private key as Apple gives it out. */
export const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })

/** A service account as Google gives it out. */
export const serviceAccount = {
  type: 'service_account',
  project_id: 'demo-project',
  client_email: 'push@demo-project.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
}

export const apnsForm = { key: p8, key_id: 'ABC123DEFG', team_id: 'TEAM123456', topic: 'com.example.shop' }

/** What a provider makes of a push; by default it takes it. */
export type Answer = (push: Push, credential: PushCredential) => Partial<PushResult> | Promise<Partial<PushResult>>

/** Providers of a test's own, which note what they are given. */
export interface Providers extends PushEngine {
  sent: { push: Push; credential: PushCredential }[]
  answer: Answer
  checks: PushEngine['check']
}

export function fakeProviders(): Providers {
  const providers: Providers = {
    sent: [],
    answer: () => ({}),
    checks: async () => undefined,
    check: (credential, signal) => providers.checks(credential, signal),
    send: (credential, pushes) =>
      Promise.all(
        pushes.map(async (push) => {
          providers.sent.push({ push, credential })
          return { outcome: 'sent' as const, latencyMs: 1, status: 200, ...(await providers.answer(push, credential)) }
        }),
      ),
  }
  return providers
}

/** The plan of the pool `push` with an engine. */
export const pushPlan = (engine: PushEngine, concurrency = 4): PoolPlan<'push'> => ({
  pool: 'push',
  settings: { concurrency, fetchAhead: 0 },
  tasks: getTasksOfPool('push'),
  tools: {
    push: engine,
    seal: createSeal(secret, sealPurpose),
    signReceipts: (deliveryIds) => signReceipts(deliveryIds, secret),
  },
})

/** The push area: database, ingress, one organisation, and workers with providers of the test's own. */
export interface PushStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  providers: Providers
  ask(request: string, options?: Ask): Promise<Reply>
  /** Starts workers for the pool `push`, and for others by their plans. */
  startWorkers(...others: PoolPlan[]): Promise<void>
  /** Makes an app with credentials for the named providers; returns its id. */
  app(...providers: ('apns' | 'fcm')[]): Promise<string>
  /** Registers a device; returns the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  device(appId: string, userId: string, facts: Record<string, unknown>): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  send(appId: string, userId: string, facts?: Record<string, unknown>): Promise<any>
  /** Waits until a message has ended; returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  ended(messageId: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  trace(messageId: string): Promise<any[]>
}

const scopes = ['push:send', 'push:manage', 'push:receipt']

export async function pushStack(t: TestScope, areas: readonly string[] = []): Promise<PushStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    only: ['push', ...areas],
    services: [provide(services.storage, undefined as never), provide(services.signingSecret, secret)],
  })
  const { org, keys } = await testOrg(db, scopes)
  const providers = fakeProviders()
  const ask: PushStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  const done = async (request: string, body: unknown, status: number) => {
    const reply = await ask(request, { body })
    if (reply.status !== status) throw new Error(`${request}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  return {
    db,
    databaseUrl,
    ingress,
    orgId: org.id,
    key: keys.main,
    providers,
    ask,
    async startWorkers(...others) {
      const fleet = await startFleet(
        databaseUrl,
        [pushPlan(providers) as PoolPlan, ...others],
        { lease: 60_000, sweep: 500, grace: 1_000 },
        (why) => t.fail(why),
      )
      t.teardown(() => fleet.stop())
    },
    async app(...wanted) {
      const { id } = await done('POST /push/v1/apps', { name: 'Shop' }, 201)
      const forms = { apns: apnsForm, fcm: { service_account: serviceAccount } }
      for (const provider of wanted) await done(`PUT /push/v1/apps/${id}/credentials/${provider}`, forms[provider], 200)
      return id
    },
    device: (app_id, user_id, facts) => done('POST /push/v1/installations', { app_id, user_id, ...facts }, 200),
    send: (app_id, id, facts = { title: 'Hello' }) =>
      done('POST /push/v1/messages', { app_id, target: { type: 'user', id }, ...facts }, 202),
    ended: (id) =>
      until(
        async () => {
          const { body } = await ask(`GET /push/v1/messages/${id}`)
          return body.ended_at === null ? false : body
        },
        { timeout: 30_000, what: `message ${id} ends` },
      ),
    async trace(id) {
      const all = []
      for (let cursor = ''; ; ) {
        const { body } = await ask(`GET /push/v1/messages/${id}/trace?limit=100${cursor && `&cursor=${cursor}`}`)
        all.push(...body.data)
        if (!body.next_cursor) return all
        cursor = body.next_cursor
      }
    },
  }
}

export const apnsToken = (): string => randomBytes(32).toString('hex')
export const fcmToken = (): string => randomBytes(60).toString('base64url')

/** A subscription as a browser makes it. */
export function subscription(endpoint = `https://push.example.com/${randomBytes(12).toString('hex')}`) {
  const p256dh = Buffer.concat([Buffer.from([4]), randomBytes(64)]).toString('base64url')
  return { endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }
}

/** Registers many devices of a person at once, as a statement does. */
export async function manyDevices(
  stack: PushStack,
  { appId, userId, provider, count }: { appId: string; userId: string; provider: string; count: number },
): Promise<void> {
  await stack.ask('POST /push/v1/users', { body: { app_id: appId, user_id: userId } })
  await stack.db.query(sql.typeAlias('void')`
    insert into push.installations (id, org_id, app_id, push_user_id, provider, token, platform)
    select gen_random_uuid(), u.org_id, u.app_id, u.id, ${provider}, ${provider} || '-' || n, 'test'
    from push.users as u, generate_series(1, ${count}) as n where u.app_id = ${appId} and u.user_id = ${userId}`)
}
