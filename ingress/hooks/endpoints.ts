import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as rows from '#sql/hooks/endpoints.ts'
import * as eventTypes from '#sql/hooks/event-types.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import * as rules from '#tasks/hooks/rules/manage-endpoints.ts'
import { createSecret, sealSecret } from '#tasks/webhooks/rules/secrets.ts'
import { test as testTask } from '#tasks/webhooks/test.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { TestResult } from '../webhooks/schemas.ts'
import { record } from './audit.ts'
import { Endpoint, EndpointWithSecret, present, settings } from './endpoint-form.ts'
import { AppPath, EventTypeName, presentRate, Secret, toRate } from './fields.ts'
import { demandInUse } from './type-in-use.ts'

/** Timeout of a test in milliseconds. It is longer than the timeout of the endpoint. */
const testMs = 25_000

const tooMany = problem(409, 'webhook_limit', `An app can have up to ${rules.maxEndpoints} endpoints.`)

const unreadable = problem(409, 'secret_unreadable', 'The secret can no longer be read. Rotate it.')

const params = z.object({ app: AppPath })
const one = params.extend({ id: pathId('endpoint') })

export const findApp = (db: Db, orgId: string, reference: string) => mustFind(apps.find(db, orgId, reference), 'app')

const withRate = <Given extends { rate?: Parameters<typeof toRate>[0] | undefined }>({ rate, ...given }: Given) => ({
  ...given,
  ...(rate !== undefined && toRate(rate)),
})

/** Returns the data for the audit log. It contains only the host of the URL, because paths can be secrets. */
const shown = ({ url, events, status, ...row }: endpoints.Endpoint) => ({
  ...{ host: new URL(url).host, types: events, disabled: status === 'disabled', header_names: row.header_names },
  ...{
    filters: row.filters?.map(({ path, op }) => `${path} ${op}`) ?? null,
    channels: row.channels,
    rate: presentRate(row),
  },
})

export const create = route({
  method: 'POST',
  path: '/apps/{app}/endpoints',
  summary: 'Create an endpoint of an app',
  description: 'The endpoint receives new messages of the app that match its types, channels and filters.',
  scope: 'hooks:write',
  params,
  body: z.strictObject({
    url: settings.url,
    types: settings.types.default(['*']),
    description: settings.description.optional(),
    filters: settings.filters.optional(),
    channels: settings.channels.optional(),
    headers: settings.headers.optional(),
    rate: settings.rate.optional(),
    disabled: settings.disabled.optional(),
    secret: Secret.optional().describe('Your own signing secret. Default: a new secret.'),
  }),
  status: 201,
  reply: EndpointWithSecret,
  problems: ['not_found', tooMany],
  example: {
    body: {
      url: 'https://customer.example.com/webhooks',
      types: ['invoice.*'],
      filters: [{ path: 'amount', op: 'gt', value: 100 }],
    },
  },
  async handle({ params, body, org, db, services, ...call }) {
    const signing = services(signingSecret)
    return await db.transaction(async (tx) => {
      const app = await mustFind(apps.lock(tx, org.id, params.app), 'app')
      const added = await rules.add(tx, app, withRate(body), signing)
      if (!added) throw tooMany(`An app can have up to ${rules.maxEndpoints} endpoints. Delete one first.`)
      const { endpoint } = added
      const act = { action: 'hooks.endpoint.created', target: endpoint.id, after: shown(endpoint) }
      await record(tx, { org, ...call }, act)
      return { ...present(endpoint), secret: added.secret }
    })
  },
})

export const list = listRoute({
  path: '/apps/{app}/endpoints',
  summary: 'List endpoints of an app, newest first',
  description: 'Returns the endpoints without their secrets.',
  scope: 'hooks:read',
  params,
  filters: rows.filters,
  query: { status: endpoints.Endpoint.shape.status.optional() },
  item: Endpoint,
  problems: ['not_found'],
  async rows({ params, org, db }, page) {
    return await rows.list(db, (await findApp(db, org.id, params.app)).id, page)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/apps/{app}/endpoints/{id}',
  summary: 'Read an endpoint',
  description: 'Returns the endpoint without its secret.',
  scope: 'hooks:read',
  params: one,
  status: 200,
  reply: Endpoint,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const app = await findApp(db, org.id, params.app)
    return present(await mustFind(endpoints.find(db, { orgId: org.id, appId: app.id }, params.id), 'endpoint'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/apps/{app}/endpoints/{id}',
  summary: 'Update an endpoint',
  description:
    'Omitted fields keep their values. Pending messages use the new settings. `headers` replaces all additional headers.',
  scope: 'hooks:write',
  params: one,
  body: z.strictObject(settings).partial(),
  status: 200,
  reply: Endpoint,
  problems: ['not_found'],
  async handle({ params, body, org, db, services, ...call }) {
    const signing = services(signingSecret)
    return await db.transaction(async (tx) => {
      const app = await mustFind(apps.lock(tx, org.id, params.app), 'app')
      const owner = { orgId: org.id, appId: app.id }
      const before = await mustFind(endpoints.lock(tx, owner, params.id), 'endpoint')
      const after = await mustFind(rules.change(tx, app, params.id, withRate(body), signing), 'endpoint')
      const act = { action: 'hooks.endpoint.changed', target: after.id, before: shown(before), after: shown(after) }
      await record(tx, { org, ...call }, act)
      return present(after)
    })
  },
})

export const remove = removeRoute({
  path: '/apps/{app}/endpoints/{id}',
  summary: 'Delete an endpoint',
  description: 'Also deletes its pending deliveries and its attempts.',
  scope: 'hooks:write',
  params: one,
  what: 'endpoint',
  async remove({ params, org, db, ...call }) {
    const app = await findApp(db, org.id, params.app)
    const id = await endpoints.remove(db, { orgId: org.id, appId: app.id }, params.id)
    if (id !== null) await record(db, { org, ...call }, { action: 'hooks.endpoint.deleted', target: id })
    return id
  },
})

export const readSecret = route({
  method: 'GET',
  path: '/apps/{app}/endpoints/{id}/secret',
  summary: 'Read the signing secret of an endpoint',
  description: 'Your customer needs the secret to verify webhooks. It requires the scope `hooks:write`.',
  scope: 'hooks:write',
  params: one,
  status: 200,
  reply: z.object({
    secret: secret(z.string()),
    previous_secret: secret(z.string()).nullable().describe('Previous secret while it is still used'),
  }),
  problems: ['not_found', unreadable],
  async handle({ params, org, db, services, ...call }) {
    const app = await findApp(db, org.id, params.app)
    const found = await mustFind(rows.findSecrets(db, app.id, params.id), 'endpoint')
    const seal = createSeal(services(signingSecret), endpoints.sealPurpose)
    const open = (sealed: string) => seal.open(sealed, endpoints.getSecretContext(params.id))
    const text = open(found.secret)
    if (text === null) throw unreadable(unreadable.when)
    const act = { action: 'hooks.endpoint.secret_read', target: params.id }
    await db.transaction((tx) => record(tx, { org, ...call }, act))
    return { secret: text, previous_secret: found.previous_secret && open(found.previous_secret) }
  },
})

export const rotateSecret = route({
  method: 'POST',
  path: '/apps/{app}/endpoints/{id}/rotate-secret',
  summary: 'Rotate the signing secret of an endpoint',
  description: 'Each request has two signatures until the previous secret expires.',
  scope: 'hooks:write',
  params: one,
  body: z
    .strictObject({
      secret: Secret.optional().describe('Your own signing secret. Default: a new secret.'),
      keep_hours: z.int().min(0).max(168).default(24).describe('Hours until the previous secret expires'),
    })
    .prefault({}),
  status: 200,
  reply: EndpointWithSecret,
  problems: ['not_found'],
  async handle({ params, body, org, db, services, ...call }) {
    const app = await findApp(db, org.id, params.app)
    const text = body.secret ?? createSecret()
    const given = {
      secret: sealSecret(text, params.id, services(signingSecret)),
      keepMs: body.keep_hours * 3_600_000,
    }
    const owner = { orgId: org.id, appId: app.id }
    return await db.transaction(async (tx) => {
      const rotated = await mustFind(endpoints.rotate(tx, owner, params.id, given), 'endpoint')
      await record(tx, { org, ...call }, { action: 'hooks.endpoint.secret_rotated', target: params.id })
      return { ...present(rotated), secret: text }
    })
  },
})

const Counts = z.object({ pending: z.int(), delivered: z.int(), failed: z.int() })

export const stats = route({
  method: 'GET',
  path: '/apps/{app}/endpoints/{id}/stats',
  summary: 'Count the messages of an endpoint by status',
  description: 'Counts up to 10,000 messages per status, newest first.',
  scope: 'hooks:read',
  params: one,
  status: 200,
  reply: z.object({ id: Id, messages: Counts }),
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const app = await findApp(db, org.id, params.app)
    await mustFind(endpoints.find(db, { orgId: org.id, appId: app.id }, params.id), 'endpoint')
    return { id: params.id, messages: await rows.countDeliveries(db, params.id) }
  },
})

export const test = route({
  method: 'POST',
  path: '/apps/{app}/endpoints/{id}/test',
  summary: 'Send a test message to an endpoint',
  description:
    'Sends the example of an event type once, and returns the response of the endpoint. Disabled endpoints also receive it.',
  scope: 'hooks:write',
  // The response contains the result of requesting a URL. The limit prevents scans of many URLs.
  limit: { perMinute: 20, by: 'org' },
  enqueues: testTask,
  params: one,
  body: z
    .strictObject({ event_type: EventTypeName.optional().describe('Event type. Default: a message without a type.') })
    .prefault({}),
  status: 200,
  reply: TestResult,
  problems: ['not_found', 'upstream_error', noAnswerInTime],
  async handle({ params, body, org, db, services }) {
    const app = await findApp(db, org.id, params.app)
    await mustFind(endpoints.find(db, { orgId: org.id, appId: app.id }, params.id), 'endpoint')
    if (body.event_type !== undefined) demandInUse(await eventTypes.find(db, org.id, body.event_type))
    const about = { orgId: org.id, subject: params.id, timeout: testMs }
    const type = body.event_type ?? 'webhooks.test'
    return await services(questions).ask(testTask, { endpointId: params.id, eventId: newId(), type }, about)
  },
})
