import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { sql } from '#sql/db.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { enqueueEndpoints } from '#tasks/webhooks/rules/wake-endpoints.ts'
import { madeUp } from '../support/emitted.ts'
import { type Ask, type Reply, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { type VideoStack, videoStack, type Workers } from '../support/video-stack.ts'

type Test = Parameters<typeof videoStack>[0]

/** Database, ingress, an organisation, and workers of the pool webhooks when they are started. */
export interface WebhookStack {
  base: VideoStack
  db: DatabasePool
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Adds an endpoint; returns it with its secret. */
  add(url: string, events?: string[]): Promise<{ id: string; secret: string }>
  /** Has something happen to the organisation's mail. */
  emit(type: string, data?: Record<string, unknown>): Promise<void>
  /** The same for another organisation. */
  emitFor(orgId: string): WebhookStack['emit']
  startWorkers(environment?: Record<string, string>): Promise<Workers>
  /** Waits until the newest delivery to an endpoint is as asked for; returns it as the API shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a delivery.
  logged(endpointId: string, as: (delivery: any) => boolean): Promise<any>
  /** Lets time pass: what waits for an endpoint is due now, and its circuit breaker closes. */
  passTime(endpointId: string): Promise<void>
  /** Waits until no job of the pool is left that is due. */
  idle(): Promise<void>
}

/** Starts all but the workers; everything goes with the test. */
export async function webhookStack(t: Test, areas: string[] = []): Promise<WebhookStack> {
  const base = await videoStack(t, { areas: ['email', 'files', ...areas] })
  const { db } = base
  const { org, keys } = await testOrg(db, ['email:send', 'email:manage'])
  const emitFor =
    (orgId: string): WebhookStack['emit'] =>
    (type, data = {}) =>
      db.transaction((tx) => emitMany(tx, [madeUp(orgId, type, data)]))
  const ask = (request: string, options: Ask = {}) => base.ask(request, { key: keys.main, ...options })
  return {
    base,
    db,
    orgId: org.id,
    key: keys.main,
    ask,
    async add(url, events = ['*']) {
      const { status, body, text } = await ask('POST /send/v1/webhooks', { body: { url, events } })
      if (status !== 201) throw new Error(`${status} ${text}`)
      return body
    },
    emit: emitFor(org.id),
    emitFor,
    startWorkers: (environment = {}) =>
      base.startWorkers({ OUTBOUND_ALLOWED: '127.0.0.1', LOG_LEVEL: 'warn', ...environment }, 'webhooks'),
    logged: (endpointId, as) =>
      until(
        async () => {
          const { body } = await ask(`GET /send/v1/webhooks/${endpointId}/deliveries`)
          const [newest] = body.data
          return newest && as(newest) ? newest : false
        },
        { what: 'the delivery is logged' },
      ),
    async passTime(endpointId) {
      await db.query(sql.typeAlias('void')`
        update webhooks.endpoints set resume_at = null where id = ${endpointId}`)
      await db.query(sql.typeAlias('void')`
        update webhooks.deliveries set due_at = now() where endpoint_id = ${endpointId} and status = 'pending'`)
      await enqueueEndpoints(db, [{ id: endpointId, org_id: org.id }])
    },
    async idle() {
      await until(
        () =>
          db
            .exists(sql.type(z.object({ id: z.coerce.number() }))`
            select id from jobs_webhooks._private_jobs where run_at <= now() limit 1`)
            .then((busy) => !busy),
        { what: 'the pool has nothing to do' },
      )
    },
  }
}
