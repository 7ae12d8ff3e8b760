import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { deliver } from '#tasks/webhooks/deliver.ts'
import { replayLogged } from '#tasks/webhooks/rules/replay-logged.ts'
import { enqueueEndpoints } from '#tasks/webhooks/rules/wake-endpoints.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import type { Tool } from '../http/tool.ts'
import { Delivery, presentDelivery } from './schemas.ts'

export const webhookDisabled = problem(409, 'webhook_disabled', 'The webhook is disabled. Enable it first.')
const params = z.object({ id: pathId('webhook') })
const beyondContract = true

interface DeliveryRouteOptions<Base extends string, Status extends z.ZodType> {
  /** Path of the webhooks, such as `/webhooks`. */
  base: Base
  scopes: { read: Scope; write: Scope }
  tools?: { list: Tool; replay: Tool }
  ownerOf(caller: Pick<Caller, 'org' | 'key'>): endpoints.Owner
  /** Values of `status` in requests that replay events. */
  replayable: Status
  replaySome(
    tx: Db,
    endpoint: endpoints.Endpoint,
    given: { since: string; status: z.output<Status> },
  ): Promise<{ replayed: number; next: Date | null }>
}

/** Replays events whose deliveries are in the log. */
export const fromLog = {
  replayable: z
    .enum(['failed', 'all'])
    .default('failed')
    .describe('`failed`, or `all` to replay delivered events as well'),
  replaySome: replayLogged,
}

export function deliveryRoutes<const Base extends '/webhooks' | '/account/webhooks', Status extends z.ZodType>({
  base,
  scopes,
  tools,
  ownerOf,
  replayable,
  replaySome,
}: DeliveryRouteOptions<Base, Status>) {
  /** Throws if the endpoint does not exist or is disabled. */
  async function findEnabled(db: Db, caller: Pick<Caller, 'org' | 'key'>, id: string): Promise<endpoints.Endpoint> {
    const endpoint = await mustFind(endpoints.find(db, ownerOf(caller), id), 'webhook')
    if (endpoint.status === 'disabled') throw webhookDisabled(`The webhook is disabled: ${endpoint.disabled_reason}`)
    return endpoint
  }

  const list = listRoute({
    path: `${base}/{id}/deliveries`,
    summary: 'List deliveries to a webhook, newest first',
    description: 'Each delivery contains the status, the number of attempts and the last response of the endpoint.',
    ...(tools && { tool: tools.list }),
    scope: scopes.read,
    testKeys: 'sandbox',
    beyondContract,
    params,
    filters: deliveries.filters,
    query: { status: deliveries.Status.optional() },
    item: Delivery,
    problems: ['not_found'],
    async rows({ params: { id }, org, key, db }, page) {
      await mustFind(endpoints.find(db, ownerOf({ org, key }), id), 'webhook')
      return await deliveries.list(db, id, page)
    },
    present: presentDelivery,
  })

  const replay = route({
    method: 'POST',
    path: `${base}/{id}/deliveries/{delivery_id}/replay`,
    summary: 'Replay an event',
    description: 'Sends the event with the same `webhook-id` and as many attempts as a new event.',
    ...(tools && { tool: tools.replay }),
    scope: scopes.write,
    testKeys: 'sandbox',
    beyondContract,
    enqueues: deliver,
    params: params.extend({ delivery_id: pathId('delivery') }),
    status: 200,
    reply: z.object({ id: Id, status: deliveries.Status }),
    problems: ['not_found', webhookDisabled],
    async handle({ params: { id, delivery_id }, org, key, db }) {
      const endpoint = await findEnabled(db, { org, key }, id)
      await db.transaction(async (tx) => {
        if (!(await deliveries.replay(tx, id, delivery_id))) throw notFound('delivery')
        await enqueueEndpoints(tx, [endpoint])
      })
      return { id: delivery_id, status: 'pending' as const }
    },
  })

  const replaySince = route({
    method: 'POST',
    path: `${base}/{id}/replay`,
    summary: 'Replay events since a time',
    description:
      'Replays the oldest events first, as many as possible per request. To continue, use `next_since` as `since`.',
    scope: scopes.write,
    testKeys: 'sandbox',
    beyondContract,
    limit: { perMinute: 10, by: 'org' },
    enqueues: deliver,
    params,
    body: z.strictObject({ since: InstantInput, status: replayable }),
    status: 200,
    reply: z.object({
      replayed: z.int(),
      next_since: Instant.nullable().describe('Start of the next request. `null` if no events remain.'),
    }),
    problems: ['not_found', webhookDisabled],
    async handle({ params: { id }, body, org, key, db }) {
      // The type of `status` is not inferred from a generic schema.
      const { since, status } = body as { since: string; status: z.output<Status> }
      const endpoint = await findEnabled(db, { org, key }, id)
      const { replayed, next } = await db.transaction((tx) => replaySome(tx, endpoint, { since, status }))
      return { replayed, next_since: next }
    },
  })

  return { list, replay, replaySince }
}
