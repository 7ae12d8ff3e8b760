import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { eventTypes, type WebhookArea } from '#tasks/webhooks/rules/event-types.ts'
import * as rules from '#tasks/webhooks/rules/manage.ts'
import { test as testTask } from '#tasks/webhooks/test.ts'
import { type ActingCall, actorOfCall } from '../http/acting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { Endpoint, EndpointWithSecret, eventNames, presentEndpoint, TestResult, WebhookUrl } from './schemas.ts'

/** Default time in hours for which the previous secret is still used. */
const keepHours = 24

/** Timeout of a test in milliseconds. It is longer than the timeout of an endpoint. */
const testMs = 25_000

const tooMany = problem(409, 'webhook_limit', `The organisation already has ${rules.maxPerArea} webhooks in this area.`)
const params = z.object({ id: pathId('webhook') })

export interface WebhookRouteOptions {
  area: WebhookArea
  scopes: { read: Scope; write: Scope }
  /** True if event names are shown without the area's prefix. */
  bareNames?: boolean
}

/** Returns the owner of an area's webhooks for a caller. Test keys can access only webhooks for tests. */
export function getOwner(
  area: WebhookArea,
  { org, key }: Pick<Caller, 'org' | 'key'>,
): endpoints.Owner & { area: WebhookArea } {
  return { orgId: org.id, area, mode: boundTo(key) }
}

const boundTo = ({ mode }: Caller['key']) => (mode === 'test' ? mode : undefined)

function doerOf(area: WebhookArea, call: ActingCall & Pick<Caller, 'key'>): rules.Doer & { area: WebhookArea } {
  return { ...actorOfCall(call), area, mode: boundTo(call.key) }
}

export function endpointRoutes({ area, scopes, bareNames = false }: WebhookRouteOptions) {
  const prefix = bareNames ? eventTypes[area].prefix : '\0'
  const present = (endpoint: endpoints.Endpoint) => presentEndpoint(endpoint, prefix)

  const create = route({
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Returns the secret that verifies deliveries (Standard Webhooks 1.0). The secret is returned only in this response.',
    scope: scopes.write,
    testKeys: 'sandbox',
    body: z.strictObject({ url: WebhookUrl, events: eventNames(area) }),
    status: 201,
    reply: EndpointWithSecret,
    problems: [tooMany],
    async handle({ body, org, key, actor, requestId, ip, db, services }) {
      const doer = doerOf(area, { org, key, actor, requestId, ip })
      const wanted = { ...body, name: null, mode: doer.mode ?? null }
      const added = await db.transaction((tx) => rules.add(tx, doer, wanted, services(signingSecret)))
      const max = rules.maxPerArea
      if (!added) throw tooMany(`An organisation can have ${max} webhooks in this area. Delete one first.`, { max })
      return { ...present(added.endpoint), secret: added.secret }
    },
  })

  const list = listRoute({
    path: '/webhooks',
    summary: 'List webhooks',
    description: 'Returns the endpoints that receive events of this area, without their signing secrets.',
    scope: scopes.read,
    testKeys: 'sandbox',
    item: Endpoint,
    rows: ({ org, key, db }, page) => endpoints.list(db, getOwner(area, { org, key }), page),
    present,
  })

  const remove = removeRoute({
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    description: 'Also deletes the pending deliveries and the log of the webhook.',
    scope: scopes.write,
    testKeys: 'sandbox',
    params,
    what: 'webhook',
    remove: ({ params: { id }, org, key, actor, requestId, ip, db }) =>
      rules.remove(db, doerOf(area, { org, key, actor, requestId, ip }), id),
  })

  const test = route({
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends one signed `webhooks.test` event and returns the response of the endpoint. Disabled endpoints also receive the event.',
    scope: scopes.write,
    testKeys: 'sandbox',
    // The response contains the result of requesting a URL. The limit prevents scans of many URLs.
    limit: { perMinute: 20, by: 'org' },
    enqueues: testTask,
    params,
    status: 200,
    reply: TestResult,
    problems: ['not_found', 'upstream_error', noAnswerInTime],
    async handle({ params: { id }, org, key, db, services }) {
      await mustFind(endpoints.find(db, getOwner(area, { org, key }), id), 'webhook')
      const about = { orgId: org.id, subject: id, timeout: testMs }
      return await services(questions).ask(testTask, { endpointId: id, eventId: newId() }, about)
    },
  })

  const rotateSecret = route({
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description: 'Until the previous secret expires, each delivery has two signatures.',
    scope: scopes.write,
    testKeys: 'sandbox',
    beyondContract: true,
    params,
    body: z.strictObject({
      keep_hours: z.int().min(0).max(168).default(keepHours).describe('Hours until the previous secret expires'),
    }),
    status: 200,
    reply: EndpointWithSecret,
    problems: ['not_found'],
    async handle({ params: { id }, body, org, key, actor, requestId, ip, db, services }) {
      const doer = doerOf(area, { org, key, actor, requestId, ip })
      const given = { keepMs: body.keep_hours * 3_600_000, signing: services(signingSecret) }
      const rotated = await mustFind(
        db.transaction((tx) => rules.rotate(tx, doer, id, given)),
        'webhook',
      )
      return { ...present(rotated.endpoint), secret: rotated.secret }
    },
  })

  const enable = route({
    method: 'POST',
    path: '/webhooks/{id}/enable',
    repeatable: true,
    summary: 'Enable a disabled webhook',
    description: 'Delivers the pending events.',
    scope: scopes.write,
    testKeys: 'sandbox',
    beyondContract: true,
    params,
    status: 200,
    reply: Endpoint,
    problems: ['not_found'],
    async handle({ params: { id }, org, key, actor, requestId, ip, db }) {
      const doer = doerOf(area, { org, key, actor, requestId, ip })
      return present(await db.transaction((tx) => mustFind(rules.enable(tx, doer, id), 'webhook')))
    },
  })

  return { create, list, remove, test, rotateSecret, enable }
}
