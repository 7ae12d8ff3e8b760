import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/notify/connections.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { findConnectionFault } from '#tasks/notify/rules/chat-hosts.ts'
import { testConnection } from '#tasks/notify/test-connection.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { hasLocalOrg, isLocalOrg } from '#tasks/webhooks/rules/endpoint-url.ts'
import { createSecret } from '#tasks/webhooks/rules/secrets.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'

/** Maximum number of connections of one organisation. */
const maxConnections = 500

/** Timeout in milliseconds of a test message. A worker sends it. */
const testMs = 25_000

const tooMany = problem(409, 'too_many_connections', `An organisation can have up to ${maxConnections} connections.`)

const params = z.object({ id: pathId('connection') })

const name = z.string().trim().min(1).max(100).describe('Name, such as the name of the chat channel')

const Url = secret(z.string().min(1).max(2_048)).describe(
  'Incoming webhook of the chat service. For `url`: any URL that accepts POST.',
)

const isDefault = z.boolean().describe('True to use it for people without their own connection of this kind')

const Connection = z
  .object({
    id: Id,
    kind: rows.ChatChannel,
    name: z.string(),
    host: z.string().describe('Host of the URL. The URL is not returned.'),
    default: z.boolean(),
    state: rows.table.Row.shape.state.describe(
      '`unverified` until a test message has arrived. `disabled` after the server returned 404 or 410.',
    ),
    reason: z.string().nullable().describe('Reason why the test failed, or why it is disabled'),
    created_at: Instant,
    verified_at: Instant.nullable(),
    disabled_at: Instant.nullable(),
  })
  .meta({ id: 'notify.Connection' })

const present = ({ org_id: _, is_default, ...row }: rows.Facts): z.input<typeof Connection> => ({
  ...row,
  default: is_default,
})

/** Throws 400 if the organisation cannot use the URL. Returns its host. */
async function demandUrl(db: Db, orgId: string, kind: rows.ChatChannel, url: string): Promise<string> {
  const issue = findConnectionFault(kind, url, { local: hasLocalOrg && (await isLocalOrg(db, orgId)) })
  if (issue !== undefined) throw badRequest([{ field: 'body.url', issue }])
  return new URL(url).host
}

const sealer = (services: Services, id: string) => {
  const seal = createSeal(services(signingSecret), sealPurpose)
  return (column: 'url' | 'secret', text: string) => seal.close(text, rows.getSealContext(id, column))
}

const TestResult = z.object({
  delivered: z.boolean(),
  error: z
    .object({ code: z.string(), message: z.string(), http_status: z.number().nullable() })
    .nullable()
    .describe('Reason why the test message did not arrive'),
})

/** Sends a test message. Undefined if no worker sent it in time. */
async function runTest(services: Services, orgId: string, id: string) {
  const about = { orgId, subject: id, timeout: testMs }
  try {
    return await services(questions).ask(testConnection, { connectionId: id }, about)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

export const create = route({
  method: 'POST',
  path: '/connections',
  summary: 'Connect a chat channel or URL',
  description:
    'Stores the URL encrypted and sends a test message. The connection is `active` when the message has arrived. For the kind `url`, requests are signed (Standard Webhooks), and the secret is returned only in this response.',
  scope: 'notify:write',
  body: z.strictObject({ kind: rows.ChatChannel, name, url: Url, default: isDefault.default(false) }),
  status: 201,
  reply: Connection.extend({
    secret: secret(z.string()).nullable().describe('Returned only in this response, for the kind `url`'),
  }),
  problems: [tooMany],
  example: { body: { kind: 'slack', name: '#orders', url: 'https://hooks.slack.com/services/T000/B000/XXXX' } },
  async handle({ body, org, db, services }) {
    const host = await demandUrl(db, org.id, body.kind, body.url)
    const id = newId()
    const seal = sealer(services, id)
    const key = body.kind === 'url' ? createSecret() : null
    const row = { id, org_id: org.id, kind: body.kind, name: body.name, host, is_default: body.default }
    const sealed = { url: seal('url', body.url), secret: key === null ? null : seal('secret', key) }
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.connections')
      if ((await rows.count(tx, org.id)) >= maxConnections) throw tooMany(tooMany.when)
      if (body.default) await rows.clearDefault(tx, org.id, body.kind)
      const connection = await rows.insert(tx, { ...row, ...sealed })
      await enqueue(tx, testConnection, { connectionId: id }, { orgId: org.id, subject: id })
      return { ...present(connection), secret: key }
    })
  },
})

export const list = listRoute({
  path: '/connections',
  summary: 'List chat connections',
  description: 'Returns your connections, without their URLs.',
  scope: 'notify:read',
  filters: rows.filters,
  query: { kind: rows.ChatChannel.optional(), state: rows.table.Row.shape.state.optional() },
  item: Connection,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/connections/{id}',
  summary: 'Read a chat connection',
  description: 'Returns a connection with its state. The URL is not returned.',
  scope: 'notify:read',
  params,
  status: 200,
  reply: Connection,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.id), 'connection')),
})

export const update = route({
  method: 'PATCH',
  path: '/connections/{id}',
  summary: 'Update a chat connection',
  description: 'Changes the given fields. After a new URL, the connection is unverified until a test message arrives.',
  scope: 'notify:write',
  params,
  body: z
    .strictObject({ name: name.optional(), url: Url.optional(), default: isDefault.optional() })
    .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
      error: 'must contain at least one field',
    }),
  status: 200,
  reply: Connection,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db, services }) {
    const { kind } = await mustFind(rows.find(db, org.id, id), 'connection')
    const host = body.url === undefined ? undefined : await demandUrl(db, org.id, kind, body.url)
    const changes: rows.Changes = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.default !== undefined && { is_default: body.default }),
      ...(body.url !== undefined &&
        host !== undefined && {
          ...{ url: sealer(services, id)('url', body.url), host, state: 'unverified' as const, reason: null },
        }),
    }
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.connections')
      if (body.default) await rows.clearDefault(tx, org.id, kind)
      const changed = await mustFind(rows.update(tx, org.id, id, changes), 'connection')
      if (body.url !== undefined)
        await enqueue(tx, testConnection, { connectionId: id }, { orgId: org.id, subject: id })
      return present(changed)
    })
  },
})

export const test = route({
  method: 'POST',
  path: '/connections/{id}/test',
  summary: 'Send a test message',
  description: 'Sends a message to the connection. If the message arrives, the connection is active again.',
  scope: 'notify:write',
  params,
  status: 200,
  reply: TestResult.extend({ connection: Connection }),
  problems: ['not_found'],
  limit: { perMinute: 30, by: 'org' },
  async handle({ params: { id }, org, db, services }) {
    await mustFind(rows.find(db, org.id, id), 'connection')
    const late = { code: 'no_response', message: 'No worker sent the test message in time.', http_status: null }
    const result = (await runTest(services, org.id, id)) ?? { delivered: false, error: late }
    return { ...result, connection: present(await mustFind(rows.find(db, org.id, id), 'connection')) }
  },
})

export const remove = removeRoute({
  path: '/connections/{id}',
  summary: 'Remove a chat connection',
  description: 'Deletes the connection with its messages. Pending messages are not sent.',
  scope: 'notify:write',
  params,
  what: 'connection',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
