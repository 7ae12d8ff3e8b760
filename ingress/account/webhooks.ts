import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as members from '#sql/account/people/members.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { deliver } from '#tasks/webhooks/deliver.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import * as rules from '#tasks/webhooks/rules/manage.ts'
import { test as testTask } from '#tasks/webhooks/test.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { TestResult } from '../webhooks/schemas.ts'
import {
  demandTypesOfArea,
  fields,
  present,
  Webhook,
  WebhookWithSecret,
  webhookActor,
  webhookOwner,
} from './webhook-fields.ts'

const scope = 'account:webhooks'
const beyondContract = true
const params = z.object({ id: pathId('webhook') })

/** Timeout of a test in milliseconds. It is longer than the timeout of the endpoint. */
const testMs = 25_000

const shared = { scope, testKeys: 'sandbox', beyondContract } as const
const oneWebhook = { ...shared, params, status: 200, reply: Webhook, problems: ['not_found'] } as const

const tooMany = problem(409, 'webhook_limit', `The organisation already has ${rules.maxEndpoints} webhooks.`)

export const create = route({
  method: 'POST',
  path: '/account/webhooks',
  summary: 'Create a webhook for all areas',
  description: 'The signing secret (Standard Webhooks 1.0) is returned only in this response.',
  ...shared,
  body: z.strictObject({ ...fields, name: fields.name.default(null), mode: fields.mode.default(null) }),
  status: 201,
  reply: WebhookWithSecret,
  problems: [tooMany],
  example: { body: { url: 'https://example.com/hooks', types: ['email.*', 'video.asset.ready'] } },
  async handle({ body: { types: events, ...body }, org, key, requestId, ip, db, services }) {
    const doer = webhookActor({ org, key, requestId, ip })
    const signing = services(signingSecret)
    const added = await db.transaction((tx) => rules.add(tx, doer, { ...body, events }, signing))
    const max = rules.maxEndpoints
    if (!added) throw tooMany(`An organisation can have up to ${max} webhooks for all areas.`, { max })
    return { ...present(added.endpoint), secret: added.secret }
  },
})

export const list = listRoute({
  path: '/account/webhooks',
  summary: 'List webhooks for all areas',
  description: 'Returns the endpoints that receive events of any area, without their signing secrets.',
  tool: { name: 'list_webhooks' },
  ...shared,
  item: Webhook,
  rows: ({ org, key, db }, page) => endpoints.list(db, webhookOwner({ org, key }), page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/account/webhooks/{id}',
  summary: 'Read a webhook',
  description:
    'Returns the endpoint without its signing secret. For a disabled endpoint, the response includes the reason.',
  ...oneWebhook,
  async handle({ params: { id }, org, key, db }) {
    return present(await mustFind(endpoints.find(db, webhookOwner({ org, key }), id), 'webhook'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/account/webhooks/{id}',
  summary: 'Update a webhook',
  description:
    'Omitted fields keep their values. `types` replaces all event types. Pending deliveries are sent to the new URL.',
  ...shared,
  params,
  body: z.strictObject({
    url: fields.url.optional(),
    types: fields.types.optional(),
    name: fields.name.optional(),
    mode: fields.mode.optional(),
  }),
  status: 200,
  reply: Webhook,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, key, requestId, ip, db }) {
    const doer = webhookActor({ org, key, requestId, ip })
    return await db.transaction(async (tx) => {
      await members.lock(tx, org.id)
      const before = await mustFind(endpoints.lock(tx, webhookOwner({ org, key }), id), 'webhook')
      const events = body.types ?? before.events
      demandTypesOfArea(before.area, events)
      const { url = before.url, name = before.name, mode = before.mode } = body
      return present(await rules.change(tx, doer, before, { url, name, mode, events }))
    })
  },
})

export const remove = removeRoute({
  path: '/account/webhooks/{id}',
  summary: 'Delete a webhook',
  description: 'Also deletes the pending deliveries and the log of the webhook.',
  ...shared,
  params,
  what: 'webhook',
  remove: ({ params: { id }, org, key, requestId, ip, db }) =>
    rules.remove(db, webhookActor({ org, key, requestId, ip }), id),
})

export const pause = route({
  method: 'POST',
  path: '/account/webhooks/{id}/pause',
  repeatable: true,
  summary: 'Pause a webhook',
  description: 'Events of a paused webhook are queued for as long as events are stored.',
  ...oneWebhook,
  async handle({ params: { id }, org, key, requestId, ip, db }) {
    const doer = webhookActor({ org, key, requestId, ip })
    return present(await db.transaction((tx) => mustFind(rules.pauseEndpoint(tx, doer, id), 'webhook')))
  },
})

export const resume = route({
  method: 'POST',
  path: '/account/webhooks/{id}/resume',
  repeatable: true,
  summary: 'Resume a paused or disabled webhook',
  description: 'Delivers the pending events.',
  ...oneWebhook,
  enqueues: deliver,
  async handle({ params: { id }, org, key, requestId, ip, db }) {
    const doer = webhookActor({ org, key, requestId, ip })
    return present(await db.transaction((tx) => mustFind(rules.resume(tx, doer, id), 'webhook')))
  },
})

export const test = route({
  method: 'POST',
  path: '/account/webhooks/{id}/test',
  summary: 'Send a test event',
  description:
    'Sends one signed event and returns the response of the endpoint. Disabled and paused webhooks also receive the event, regardless of their types.',
  ...shared,
  // The result contains the response of a URL. The limit prevents scans of many URLs.
  limit: { perMinute: 20, by: 'org' },
  enqueues: testTask,
  params,
  body: z
    .strictObject({
      type: z
        .enum(allTypes as [string, ...string[]])
        .default('webhooks.test')
        .describe('Type of the sample event. Default: `webhooks.test`.'),
    })
    .prefault({}),
  status: 200,
  reply: TestResult,
  problems: ['not_found', 'upstream_error', noAnswerInTime],
  async handle({ params: { id }, body: { type }, org, key, db, services }) {
    await mustFind(endpoints.find(db, webhookOwner({ org, key }), id), 'webhook')
    const about = { orgId: org.id, subject: id, timeout: testMs }
    return await services(questions).ask(testTask, { endpointId: id, eventId: newId(), type }, about)
  },
})

export const rotateSecret = route({
  method: 'POST',
  path: '/account/webhooks/{id}/rotate-secret',
  summary: 'Rotate a webhook secret',
  description: 'Each delivery has two signatures until the previous secret expires.',
  ...shared,
  params,
  body: z.strictObject({
    keep_hours: z.int().min(0).max(168).default(24).describe('Hours until the previous secret expires'),
  }),
  status: 200,
  reply: WebhookWithSecret,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, key, requestId, ip, db, services }) {
    const doer = webhookActor({ org, key, requestId, ip })
    const given = { keepMs: body.keep_hours * 3_600_000, signing: services(signingSecret) }
    const rotated = await mustFind(
      db.transaction((tx) => rules.rotate(tx, doer, id, given)),
      'webhook',
    )
    return { ...present(rotated.endpoint), secret: rotated.secret }
  },
})
