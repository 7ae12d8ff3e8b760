import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { enqueueEndpoints } from '#tasks/webhooks/rules/wake-endpoints.ts'
import { type Ask, type Reply, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { type VideoStack, videoStack, type Workers } from '../support/video-stack.ts'

type Test = Parameters<typeof videoStack>[0]

/** Database, ingress, an organisation that sends webhooks to its customers, and workers when they are started. */
export interface HookStack {
  base: VideoStack
  db: DatabasePool
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Creates an app and returns its ID. */
  app(more?: object): Promise<string>
  /** Creates an endpoint. */
  endpoint(app: string, url: string, more?: object): Promise<{ id: string; secret: string }>
  type(name: string, more?: object): Promise<Reply>
  send(app: string, more?: object): Promise<Reply>
  startWorkers(environment?: Record<string, string>): Promise<Workers>
  /** Lets time pass: waiting deliveries are due, and the circuit breaker closes. */
  passTime(endpointId: string): Promise<void>
  /** Waits until no job of the pool is due. */
  idle(): Promise<void>
}

/** Starts everything except the workers. */
export async function hookStack(t: Test, more: { areas?: string[]; scopes?: string[] } = {}): Promise<HookStack> {
  const base = await videoStack(t, { areas: ['hooks', ...(more.areas ?? [])] })
  const { db } = base
  const { org, keys } = await testOrg(db, ['hooks:write', ...(more.scopes ?? [])] as Parameters<typeof testOrg>[1])
  const ask = (request: string, options: Ask = {}) => base.ask(request, { key: keys.main, ...options })
  async function made(request: string, body: object): Promise<Reply['body']> {
    const reply = await ask(request, { body })
    if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
    return reply.body
  }
  return {
    base,
    db,
    orgId: org.id,
    key: keys.main,
    ask,
    app: async (body = {}) => (await made('POST /v1/hooks/apps', { name: 'Acme', ...body })).id,
    endpoint: (app, url, body = {}) => made(`POST /v1/hooks/apps/${app}/endpoints`, { url, ...body }),
    type: (name, body = {}) => ask('POST /v1/hooks/event-types', { body: { name, ...body } }),
    send: (app, body = {}) =>
      ask(`POST /v1/hooks/apps/${app}/messages`, {
        body: { event_type: 'invoice.paid', payload: { invoice_id: 'in_1' }, ...body },
      }),
    startWorkers: (environment = {}) =>
      base.startWorkers({ OUTBOUND_ALLOWED: '127.0.0.1', LOG_LEVEL: 'warn', ...environment }, 'webhooks'),
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
