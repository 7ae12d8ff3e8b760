import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { deliver, enqueueEndpoints } from '#tasks/webhooks/deliver.ts'
import { deliverMissed } from '#tasks/webhooks/rules/catch-up.ts'
import { replayLogged } from '#tasks/webhooks/rules/replay-logged.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { webhookDisabled } from '../webhooks/delivery-routes.ts'
import { Delivery, presentDelivery } from '../webhooks/schemas.ts'
import { webhookOwner } from './webhook-fields.ts'

const scope = 'account:webhooks'
const beyondContract = true
const params = z.object({ id: pathId('webhook') })

async function enabled(db: Db, owner: endpoints.Owner, id: string): Promise<endpoints.Endpoint> {
  const endpoint = await mustFind(endpoints.find(db, owner, id), 'webhook')
  if (endpoint.status === 'disabled') throw webhookDisabled(`The webhook is disabled: ${endpoint.disabled_reason}`)
  return endpoint
}

export const list = listRoute({
  path: '/account/webhooks/{id}/deliveries',
  summary: 'List deliveries of a webhook, newest first',
  description: 'Each delivery contains the status, the number of attempts and the last response of the endpoint.',
  scope,
  testKeys: 'sandbox',
  beyondContract,
  params,
  filters: deliveries.filters,
  query: { status: deliveries.Status.optional() },
  item: Delivery,
  problems: ['not_found'],
  async rows({ params: { id }, org, key, db }, page) {
    await mustFind(endpoints.find(db, webhookOwner({ org, key }), id), 'webhook')
    return await deliveries.list(db, id, page)
  },
  present: presentDelivery,
})

export const replay = route({
  method: 'POST',
  path: '/account/webhooks/{id}/deliveries/{delivery_id}/replay',
  summary: 'Replay an event',
  description: 'Sends the event with the same `webhook-id` and as many attempts as a new event.',
  scope,
  testKeys: 'sandbox',
  beyondContract,
  enqueues: deliver,
  params: params.extend({ delivery_id: pathId('delivery') }),
  status: 200,
  reply: z.object({ id: Id, status: deliveries.Status }),
  problems: ['not_found', webhookDisabled],
  async handle({ params: { id, delivery_id }, org, key, db }) {
    const endpoint = await enabled(db, webhookOwner({ org, key }), id)
    await db.transaction(async (tx) => {
      if (!(await deliveries.replay(tx, id, delivery_id))) throw notFound('delivery')
      await enqueueEndpoints(tx, [endpoint])
    })
    return { id: delivery_id, status: 'pending' as const }
  },
})

export const replaySince = route({
  method: 'POST',
  path: '/account/webhooks/{id}/replay',
  summary: 'Replay events since a time',
  description:
    'Replays the oldest events first, as many as possible per request. To continue, use `next_since` as `since`.',
  scope,
  testKeys: 'sandbox',
  beyondContract,
  limit: { perMinute: 10, by: 'org' },
  enqueues: deliver,
  params,
  body: z.strictObject({
    since: InstantInput,
    status: z
      .enum(['failed', 'all', 'missed'])
      .default('failed')
      .describe(
        '`failed`: failed events. `all`: failed and delivered events. `missed`: stored events that the webhook has not received.',
      ),
  }),
  status: 200,
  reply: z.object({
    replayed: z.int(),
    next_since: Instant.nullable().describe('Start of the next request. `null` if no events remain.'),
  }),
  problems: ['not_found', webhookDisabled],
  async handle({ params: { id }, body: { since, status }, org, key, db }) {
    const endpoint = await enabled(db, webhookOwner({ org, key }), id)
    return await db.transaction(async (tx) => {
      const { replayed, next } =
        status === 'missed'
          ? await deliverMissed(tx, endpoint, since)
          : await replayLogged(tx, endpoint, { since, status })
      return { replayed, next_since: next }
    })
  },
})
