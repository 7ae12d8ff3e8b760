import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/hooks/messages.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { findApp } from './endpoints.ts'
import { AppPath } from './fields.ts'

const Delivery = z
  .object({
    id: Id,
    message_id: Id,
    endpoint_id: Id,
    event_type: z.string(),
    status: deliveries.Status,
    attempts: z.int().describe('Number of attempts'),
    attempt_log: z
      .array(z.object({ at: Instant, status: z.int().nullable(), ms: z.int(), error: z.string().nullable() }))
      .describe('Time, HTTP status, duration in milliseconds and error of the last 20 attempts, oldest first'),
    response_status: z.int().nullable().describe('HTTP status of the last attempt. `null` without a response.'),
    response_headers: z.record(z.string(), z.string()).nullable(),
    response_head: z.string().nullable().describe('Start of the last response, up to 1 KiB'),
    latency_ms: z.int().nullable(),
    error: z.string().nullable(),
    attempted_at: Instant.nullable(),
    next_attempt_at: Instant.nullable().describe('`null` if no further attempt follows'),
    created_at: Instant,
  })
  .meta({ id: 'hooks.Delivery' })

export function present({
  org_id: _,
  event_id,
  type,
  due_at,
  attempt_log,
  ...row
}: rows.Delivery): z.input<typeof Delivery> {
  return {
    ...row,
    message_id: event_id,
    event_type: type,
    attempt_log: attempt_log ?? [],
    next_attempt_at: row.status === 'pending' ? due_at : null,
  }
}

export const ofMessage = listRoute({
  path: '/apps/{app}/messages/{id}/attempts',
  summary: 'List the attempts of a message',
  description: 'Returns one item per endpoint, with its attempts and its last response.',
  scope: 'hooks:read',
  params: z.object({ app: AppPath, id: pathId('message') }),
  item: Delivery,
  problems: ['not_found'],
  async rows({ params, org, db }, page) {
    const app = await findApp(db, org.id, params.app)
    await mustFind(rows.find(db, app.id, params.id), 'message')
    return await rows.listDeliveries(db, params.id, page)
  },
  present,
})

export const ofEndpoint = listRoute({
  path: '/apps/{app}/endpoints/{id}/attempts',
  summary: 'List the attempts of an endpoint, newest first',
  description: 'Returns one item per message, with its attempts and its last response.',
  scope: 'hooks:read',
  params: z.object({ app: AppPath, id: pathId('endpoint') }),
  filters: rows.deliveryFilters,
  query: { status: deliveries.Status.optional() },
  item: Delivery,
  problems: ['not_found'],
  async rows({ params, org, db }, page) {
    const app = await findApp(db, org.id, params.app)
    await mustFind(endpoints.find(db, { orgId: org.id, appId: app.id }, params.id), 'endpoint')
    return await rows.listEndpointDeliveries(db, params.id, page)
  },
  present,
})
