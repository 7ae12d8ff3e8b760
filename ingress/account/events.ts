import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as events from '#sql/webhooks/events.ts'
import * as settings from '#sql/webhooks/settings.ts'
import { setKeepEvents } from '#tasks/webhooks/rules/manage.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { route } from '../http/route.ts'
import { webhookActor, webhookOwner } from './webhook-fields.ts'

export { stream } from './events/stream.ts'
export { trigger } from './events/trigger.ts'

const scope = 'account:webhooks'
const beyondContract = true

export const AccountEvent = z
  .object({
    id: Id.describe('The `webhook-id` of its deliveries'),
    type: z.string(),
    timestamp: Instant.describe('Time of the event'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'account.Event' })

export const list = listRoute({
  path: '/account/events',
  summary: 'List events, newest first',
  description: 'Returns events that a webhook receives. While `keep_events` is on, returns all events.',
  tool: { name: 'list_events', outsideText: true },
  scope,
  testKeys: 'sandbox',
  beyondContract,
  filters: events.filters,
  query: { type: z.string().max(100).optional() },
  item: AccountEvent,
  rows({ org, key, db }, page) {
    const { orgId, mode } = webhookOwner({ org, key })
    return events.list(db, orgId, { ...page, testOnly: mode === 'test' })
  },
  present: ({ id, type, created_at, data }: events.Event) => ({ id, type, timestamp: created_at, data }),
})

const Settings = z
  .object({
    keep_events: z.boolean().describe('`true` if events are stored even without a webhook. Default: `false`.'),
  })
  .meta({ id: 'account.EventSettings' })

export const readSettings = route({
  method: 'GET',
  path: '/account/events/settings',
  summary: 'Read the event settings',
  description: 'Returns whether Millrace stores events so that you can list and replay them.',
  scope,
  testKeys: 'shared',
  beyondContract,
  status: 200,
  reply: Settings,
  async handle({ org, key, db }) {
    return { keep_events: await settings.keepsEvents(db, webhookOwner({ org, key }).orgId) }
  },
})

export const updateSettings = route({
  method: 'PUT',
  path: '/account/events/settings',
  summary: 'Update the event settings',
  description:
    'Stored events can be listed and delivered to new webhooks. Each event expires after its retention time.',
  scope,
  beyondContract,
  body: z.strictObject({ keep_events: z.boolean() }),
  status: 200,
  reply: Settings,
  async handle({ body: { keep_events }, org, key, requestId, ip, db }) {
    const doer = webhookActor({ org, key, requestId, ip })
    await db.transaction((tx) => setKeepEvents(tx, doer, keep_events))
    return { keep_events }
  },
})
