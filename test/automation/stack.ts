import '../support/automation-environment.ts'
import { z } from 'zod'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import { perform } from '#tasks/automation/perform.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import type { Tools } from '#tasks/pools.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { type EventType, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { verified } from '../email/sending.ts'
import { testDatabase } from '../support/database.ts'
import { madeUp } from '../support/emitted.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

export const allScopes = ['automation:write', 'jobs:write', 'notify:write', 'notify:read', 'email:send', 'email:manage']

interface Sample {
  type: EventType
  data?: Record<string, unknown>
}

/** An organisation with rules. */
export interface Owner {
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Creates a rule. Only the given fields matter. */
  rule(facts: Record<string, unknown>): Promise<Reply>
  /** Emits a sample event with these changes. */
  emit(type: EventType, data?: Record<string, unknown>): Promise<void>
  emitMany(events: readonly Sample[]): Promise<void>
  /** Emits in a transaction of the test. */
  emitIn(tx: Db, events: readonly Sample[]): Promise<void>
  /** Waits until no job of the pool is due. */
  idle(): Promise<void>
  /** Returns the runs once there are `count`, and none waits. Newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a run.
  runs(count: number): Promise<any[]>
}

export const job = (more: Record<string, unknown> = {}) => ({
  type: 'job',
  url: 'https://jobs.example/import',
  ...more,
})

/** The API of the automation area on its own database. */
export async function automating(t: TestScope): Promise<{
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  owner(facts?: { domain?: string; scopes?: string[]; plan?: string }): Promise<Owner>
}> {
  const { db, url: databaseUrl } = await testDatabase(t)
  const only = ['automation', 'notify', 'email', 'account', 'jobs']
  const ingress = await testIngress(t, db, [], { only, services: [provide(signingSecret, 's'.repeat(32))] })
  return {
    db,
    databaseUrl,
    ingress,
    async owner({ domain, scopes = allScopes, plan = 'unlimited' } = {}) {
      const { org, keys } = await testOrg(db, scopes, { plan })
      if (domain) await verified(db, org.id, domain)
      const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
      const emitIn: Owner['emitIn'] = (tx, events) =>
        emitMany(
          tx,
          events.map(({ type, data }) => madeUp(org.id, type, { ...eventKinds[type].sample, ...data })),
        )
      const emitAll: Owner['emitMany'] = (events) => db.transaction((tx) => emitIn(tx, events))
      return {
        orgId: org.id,
        key: keys.main,
        ask,
        rule: (facts) => ask('POST /v1/automation/rules', { body: { name: 'Rule', action: job(), ...facts } }),
        emit: (type, data = {}) => emitAll([{ type, data }]),
        emitMany: emitAll,
        emitIn,
        idle: () => idle(db),
        runs: (count) =>
          until(
            async () => {
              const { body } = await ask('GET /v1/automation/runs?limit=100')
              const isOver = body.data.every(({ status }: { status: string }) => status !== 'waiting')
              return body.data.length >= count && isOver ? body.data : false
            },
            { what: `${count} runs ended` },
          ),
      }
    },
  }
}

/** Starts a worker of the area's tasks until the test ends. */
export async function automationWorker(t: Scope, databaseUrl: string) {
  const plan = {
    pool: 'core' as const,
    settings: { concurrency: 4, fetchAhead: 0 },
    tasks: [perform, sendCopies, takeSteps, prune],
    tools: {} as Tools['core'],
  }
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(() => fleet.stop())
  return fleet
}

const Job = z.object({
  id: z.string(),
  url: z.string(),
  method: z.string(),
  body: z.string().nullable(),
  header_names: z.array(z.string()),
  group_name: z.string().nullable(),
  origin_kind: z.string().nullable(),
  origin_id: z.string().nullable(),
})

/** The jobs of an organisation, in their order. */
export const jobsOf = (db: DatabasePool, orgId: string) =>
  db.any(sql.type(Job)`
    select id, url, method, body, header_names, group_name, origin_kind, origin_id from work.jobs
    where org_id = ${orgId} order by id`)

const due = sql.typeAlias('count')`
  select count(*) from jobs_core._private_jobs where run_at <= now() + interval '1 second'`

/** Waits until no job of the pool is due. */
async function idle(db: DatabasePool): Promise<void> {
  await until(async () => (await db.oneFirst(due)) === 0, { timeout: 120_000, what: 'no job is due' })
}

/** Publishes the workflow `goodbye`. */
export async function publishWorkflow(
  one: Owner,
  { steps = [{ type: 'channel', channel: 'in_app' }] }: { steps?: readonly object[] } = {},
): Promise<void> {
  const body = { name: 'Goodbye', product_key: 'shop', type: 'consent.withdrawn', steps }
  await one.ask('PUT /v1/notify/workflows/goodbye', { body })
  const { status, text } = await one.ask('POST /v1/notify/workflows/goodbye/publish')
  if (status !== 200) throw new Error(text)
}
