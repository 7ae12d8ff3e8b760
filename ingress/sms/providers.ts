import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import * as rows from '#sql/sms/providers.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { forgetSecrets } from '#tasks/sms/forget-secrets.ts'
import { callbackBase, callbackPath } from '#tasks/sms/rules/callback-url.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { kinds, ProviderChanges, ProviderForm } from './provider-form.ts'
import { demandProviderUrl, divideSettings, sealFor, sealForCallbacks } from './stored-provider.ts'

/** Maximum number of connections of one organisation. */
const maxProviders = 20

/** Delay until the last secret of a removed connection is deleted. An hour is for clocks that differ. */
const forgetMs = rows.lateDays * 86_400_000 + 3_600_000

const tooMany = problem(409, 'too_many_providers', `An organisation can have up to ${maxProviders} connections.`)

const params = z.object({ id: pathId('provider') })

const Provider = z
  .object({
    id: Id,
    name: z.string(),
    kind: z.enum(kinds),
    from: z.string().nullable().describe('Sender of messages without `from`'),
    per_second: z.number(),
    default: z.boolean(),
    settings: z.record(z.string(), z.unknown()).describe('Settings of its kind, without secrets'),
    status_url: z.url().describe('URL for statuses. Twilio and Vonage receive it with each message.'),
    inbound_url: z.url().describe('URL for received messages. Enter it at the provider.'),
    created_at: Instant,
    rotated_at: Instant.nullable().describe('Time of the last change of the settings of its kind'),
  })
  .meta({ id: 'sms.Provider' })

export const present = (row: rows.Facts, origin: string): z.input<typeof Provider> => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  from: row.sender,
  per_second: row.per_second,
  default: row.is_default,
  settings: row.settings,
  status_url: callbackBase(origin) + callbackPath(row.id, 'status'),
  inbound_url: callbackBase(origin) + callbackPath(row.id, 'inbound'),
  created_at: row.created_at,
  rotated_at: row.rotated_at,
})

export const create = route({
  method: 'POST',
  path: '/providers',
  summary: 'Connect an SMS provider',
  description:
    'Connects your account at Twilio or Vonage, or any HTTP API. Secrets are encrypted and never returned. The first connection is the default.',
  scope: 'sms:manage',
  body: ProviderForm,
  status: 201,
  reply: Provider,
  problems: [tooMany],
  example: {
    body: {
      name: 'Twilio',
      kind: 'twilio',
      from: '+3725550100',
      twilio: { account_sid: 'AC00000000000000000000000000000001', auth_token: '0f1e2d3c4b5a69788796a5b4c3d2e1f0' },
    },
  },
  async handle({ body, org, db, origin, services }) {
    await demandProviderUrl(db, org.id, body.http?.url)
    const id = newId()
    const { settings, secrets } = divideSettings(body.kind, body)
    const row = { id, org_id: org.id, name: body.name, kind: body.kind, sender: body.from ?? null, settings }
    const sealed = sealFor(services, id, secrets)
    const made = await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'sms.providers')
      const count = await rows.count(tx, org.id)
      if (count >= maxProviders) throw tooMany(tooMany.when)
      const is_default = body.default ?? count === 0
      if (is_default) await rows.clearDefault(tx, org.id)
      const created = await rows.insert(tx, { ...row, secrets: sealed, per_second: body.per_second, is_default })
      await rows.ensureDefault(tx, org.id)
      return created
    })
    return present(made, origin)
  },
})

export const list = listRoute({
  path: '/providers',
  summary: 'List SMS providers',
  description: 'Returns your connections, without their secrets.',
  scope: 'sms:read',
  filters: rows.filters,
  query: { kind: z.enum(kinds).optional() },
  item: Provider,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row, { origin }) => present(row, origin),
})

export const read = route({
  method: 'GET',
  path: '/providers/{id}',
  summary: 'Read an SMS provider',
  description: 'Returns a connection with its callback URLs. Secrets are not returned.',
  scope: 'sms:read',
  params,
  status: 200,
  reply: Provider,
  problems: ['not_found'],
  handle: async ({ params, org, db, origin }) =>
    present(await mustFind(rows.find(db, org.id, params.id), 'provider'), origin),
})

export const update = route({
  method: 'PATCH',
  path: '/providers/{id}',
  summary: 'Update an SMS provider',
  description:
    'Changes the given fields. The part of its kind replaces all settings and secrets, and takes effect with the next message.',
  scope: 'sms:manage',
  params,
  body: ProviderChanges,
  status: 200,
  reply: Provider,
  problems: ['not_found'],
  async handle({ params, body, org, db, origin, services }) {
    const { kind } = await mustFind(rows.find(db, org.id, params.id), 'provider')
    const strange = kinds.filter((one) => one !== kind && body[one] !== undefined)
    if (strange.length > 0)
      throw badRequest(strange.map((one) => ({ field: `body.${one}`, issue: `cannot be used with the kind ${kind}` })))
    const checked = body[kind] && ProviderForm.safeParse({ name: 'name', kind, [kind]: body[kind] })
    if (checked && !checked.success)
      throw badRequest(
        checked.error.issues.map(({ path, message }) => ({ field: ['body', ...path].join('.'), issue: message })),
      )
    await demandProviderUrl(db, org.id, body.http?.url)
    const divided = body[kind] && divideSettings(kind, body)
    const changes: rows.Changes = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.from !== undefined && { sender: body.from }),
      ...(body.per_second !== undefined && { per_second: body.per_second }),
      ...(body.default && { is_default: true }),
      ...(divided && {
        settings: divided.settings,
        secrets: sealFor(services, params.id, divided.secrets),
        rotated_at: new Date(),
      }),
    }
    return await db.transaction(async (tx) => present(await change(tx, org.id, params.id, changes), origin))
  },
})

async function change(tx: Db, orgId: string, id: string, changes: rows.Changes): Promise<rows.Facts> {
  await lockOrgLimit(tx, orgId, 'sms.providers')
  if (changes.is_default) await rows.clearDefault(tx, orgId)
  return await mustFind(rows.update(tx, orgId, id, changes), 'provider')
}

export const remove = removeRoute({
  path: '/providers/{id}',
  summary: 'Remove an SMS provider',
  description:
    'Removes a connection. Pending messages fail with `provider_removed`. Signed callbacks are accepted for 7 days, and their secret is then deleted. The other secrets are deleted immediately.',
  scope: 'sms:manage',
  params,
  what: 'provider',
  async remove({ params: { id }, org, db, services }) {
    await lockOrgLimit(db, org.id, 'sms.providers')
    const provider = await rows.findAny(db, id)
    if (provider?.org_id !== org.id || provider.state !== 'active') return null
    const removed = await rows.remove(db, org.id, id, sealForCallbacks(services, provider))
    await rows.ensureDefault(db, org.id)
    await enqueue(db, forgetSecrets, { providerId: id }, { orgId: org.id, at: new Date(Date.now() + forgetMs) })
    return removed
  },
})
