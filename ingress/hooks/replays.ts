import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/hooks/messages.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { replayMissing, resend as resendMessage } from '#tasks/hooks/rules/replay.ts'
import { deliver } from '#tasks/webhooks/deliver.ts'
import { replayLogged } from '#tasks/webhooks/rules/replay-logged.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { endOfPeriod } from '../http/request/period.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findApp } from './endpoints.ts'
import { AppPath } from './fields.ts'

const disabled = problem(409, 'webhook_disabled', 'The endpoint is disabled. Enable it first.')

const deleted = problem(409, 'payload_deleted', 'The payload of this message was deleted, so it cannot be sent again.')

const params = z.object({ app: AppPath, id: pathId('endpoint') })

/** Returns an enabled endpoint with its app. Throws if it does not exist or is disabled. */
async function findEnabled(db: Db, orgId: string, given: { app: string; id: string }) {
  const app = await findApp(db, orgId, given.app)
  const endpoint = await mustFind(endpoints.find(db, { orgId, appId: app.id }, given.id), 'endpoint')
  if (endpoint.status === 'disabled') throw disabled(`The endpoint is disabled: ${endpoint.disabled_reason}`)
  return { app, endpoint }
}

export const resend = route({
  method: 'POST',
  path: '/apps/{app}/messages/{id}/endpoints/{endpoint_id}/resend',
  summary: 'Send a message to an endpoint again',
  description: 'Sends the message with the same `webhook-id` and as many attempts as a new message.',
  scope: 'hooks:write',
  enqueues: deliver,
  params: z.object({ app: AppPath, id: pathId('message'), endpoint_id: pathId('endpoint') }),
  status: 202,
  reply: z.object({ message_id: Id, endpoint_id: Id, status: z.literal('pending') }),
  problems: ['not_found', disabled, deleted],
  async handle({ params: { app: reference, id, endpoint_id }, org, db }) {
    const { app, endpoint } = await findEnabled(db, org.id, { app: reference, id: endpoint_id })
    const message = await mustFind(messages.find(db, app.id, id), 'message')
    if (message.payload_deleted_at !== null) throw deleted(deleted.when)
    await db.transaction((tx) => resendMessage(tx, endpoint, id))
    return { message_id: id, endpoint_id, status: 'pending' as const }
  },
})

const Period = z.strictObject({
  since: InstantInput.describe('Start of the period'),
  until: InstantInput.optional().describe('End of the period. Default: now.'),
})

const Replayed = z.object({
  replayed: z.int().describe('Number of messages that are sent'),
  next_since: Instant.nullable().describe('Start of the next request. `null` if no messages remain.'),
})

const perOrg = { perMinute: 30, by: 'org' } as const

export const recover = route({
  method: 'POST',
  path: '/apps/{app}/endpoints/{id}/recover',
  summary: 'Resend failed messages of a period',
  description:
    'Sends the oldest messages first, as many as possible per request. To continue, use `next_since` as `since`.',
  scope: 'hooks:write',
  limit: perOrg,
  enqueues: deliver,
  params,
  body: Period,
  status: 200,
  reply: Replayed,
  problems: ['not_found', disabled],
  async handle({ params, body, org, db }) {
    const until = endOfPeriod(body).toISOString()
    const { endpoint } = await findEnabled(db, org.id, params)
    const { replayed, next } = await db.transaction((tx) =>
      replayLogged(tx, endpoint, { since: body.since, until, status: 'failed' }),
    )
    return { replayed, next_since: next }
  },
})

export const missing = route({
  method: 'POST',
  path: '/apps/{app}/endpoints/{id}/replay-missing',
  summary: 'Send messages of a period that an endpoint missed',
  description:
    'Sends messages that match the endpoint and were never sent to it, such as messages from the time before it existed. To continue, use `next_since` as `since`.',
  scope: 'hooks:write',
  limit: perOrg,
  enqueues: deliver,
  params,
  body: Period,
  status: 200,
  reply: Replayed,
  problems: ['not_found', disabled],
  async handle({ params, body, org, db }) {
    const until = endOfPeriod(body).toISOString()
    const { app, endpoint } = await findEnabled(db, org.id, params)
    const period = { since: body.since, until }
    const { replayed, next } = await db.transaction((tx) => replayMissing(tx, app.id, endpoint, period))
    return { replayed, next_since: next }
  },
})
