import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/hooks/apps.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { forgetApp } from '#tasks/hooks/forget-app.ts'
import { wakeApp } from '#tasks/hooks/rules/wake-app.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { MetadataChange, MetadataField, MetadataFilter, mergeMetadata } from '../http/request/metadata.ts'
import { route } from '../http/route.ts'
import { record } from './audit.ts'
import { AppPath, presentRate, Rate, toRate, Uid } from './fields.ts'

/** Maximum number of apps of one organisation. */
const maxApps = 50_000

const tooMany = problem(409, 'too_many_apps', `An organisation can have up to ${maxApps} apps.`)

const params = z.object({ app: AppPath })

const Name = z.string().trim().min(1).max(200)

const App = z
  .object({
    id: Id,
    uid: z.string().nullable().describe('Your own ID for the app'),
    name: z.string(),
    metadata: z.record(z.string(), z.string()),
    rate: Rate.nullable().describe('Maximum number of attempts to all endpoints of the app. `null` without a limit.'),
    disabled: z.boolean().describe('True if nothing is delivered. Messages wait.'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'hooks.App' })

export const present = ({ id, uid, name, metadata, disabled_at, created_at, updated_at, ...row }: rows.App) => ({
  ...{ id, uid, name, metadata, rate: presentRate(row), disabled: disabled_at !== null, created_at, updated_at },
})

/** Returns the data for the audit log. */
const shown = ({ name, uid, disabled_at, ...row }: rows.App) => ({
  ...{ name, uid, rate: presentRate(row), disabled: disabled_at !== null },
})

const uidUsed = (uid: string) => conflict(`Another app has the uid ${uid}. Use that app, or choose another uid.`)

export const create = route({
  method: 'POST',
  path: '/apps',
  summary: 'Create an app',
  description: 'An app is one of your customers. It has its own endpoints and messages.',
  scope: 'hooks:write',
  body: z.strictObject({
    name: Name,
    uid: Uid.optional(),
    metadata: MetadataField.default({}),
    rate: Rate.nullable().default(null),
    disabled: z.boolean().default(false).describe('True to hold the messages of the app'),
  }),
  idempotent: true,
  status: 201,
  reply: App,
  problems: ['conflict', tooMany],
  example: { body: { name: 'Acme Ltd', uid: 'customer-1042' } },
  async handle({ body: { rate, disabled, uid = null, ...body }, org, db, ...call }) {
    await lockOrgLimit(db, org.id, 'hooks.apps')
    if (await rows.hasMany(db, org.id, maxApps)) throw tooMany(tooMany.when)
    const disabled_at = disabled ? new Date() : null
    const made = await rows.insert(db, { ...body, ...toRate(rate), uid, id: newId(), org_id: org.id, disabled_at })
    if (!made) throw uidUsed(uid as string)
    await record(db, { org, ...call }, { action: 'hooks.app.created', target: made.id, after: shown(made) })
    return present(made)
  },
})

export const list = listRoute({
  path: '/apps',
  summary: 'List apps, newest first',
  description: 'Returns the apps of your organisation.',
  scope: 'hooks:read',
  filters: rows.filters,
  query: {
    uid: Uid.optional(),
    name: z.string().min(1).max(200).optional().describe('Text that the name contains'),
    metadata: MetadataFilter.optional(),
  },
  item: App,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/apps/{app}',
  summary: 'Read an app',
  description: 'Returns an app by its `id` or `uid`.',
  scope: 'hooks:read',
  params,
  status: 200,
  reply: App,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.app), 'app')),
})

export const update = route({
  method: 'PATCH',
  path: '/apps/{app}',
  summary: 'Update an app',
  description: 'Omitted fields keep their values. A disabled app stops immediately, and continues when you enable it.',
  scope: 'hooks:write',
  params,
  body: z.strictObject({
    name: Name.optional(),
    uid: Uid.nullable().optional(),
    metadata: MetadataChange.optional(),
    rate: Rate.nullable().optional(),
    disabled: z.boolean().optional(),
  }),
  status: 200,
  reply: App,
  problems: ['not_found', 'conflict'],
  async handle({ params, body, org, db, ...call }) {
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'hooks.apps')
      const before = await mustFind(rows.lock(tx, org.id, params.app), 'app')
      const after = await change(tx, before, body)
      const act = { action: 'hooks.app.changed', target: after.id, before: shown(before), after: shown(after) }
      await record(tx, { org, ...call }, act)
      return present(after)
    })
  },
})

interface AppChange {
  name?: string | undefined
  uid?: string | null | undefined
  metadata?: z.output<typeof MetadataChange> | undefined
  rate?: z.output<typeof Rate> | null | undefined
  disabled?: boolean | undefined
}

async function change(tx: Db, before: rows.App, { metadata, rate, disabled, ...given }: AppChange): Promise<rows.App> {
  const { name = before.name, uid = before.uid } = given
  if (uid !== null && (await rows.isUidUsed(tx, before, uid))) throw uidUsed(uid)
  const after = await rows.update(tx, before.id, {
    name,
    uid,
    metadata: metadata === undefined ? before.metadata : mergeMetadata(before.metadata, metadata),
    ...toRate(rate === undefined ? presentRate(before) : rate),
    disabled_at: disabled === undefined ? before.disabled_at : disabled ? (before.disabled_at ?? new Date()) : null,
  })
  if (before.disabled_at && !after.disabled_at) await wakeApp(tx, after)
  return after
}

export const remove = removeRoute({
  path: '/apps/{app}',
  summary: 'Delete an app',
  description: 'Also deletes its endpoints, pending deliveries and messages.',
  scope: 'hooks:write',
  params,
  what: 'app',
  reply: { app: z.string() },
  async remove({ params, org, db, ...call }) {
    const id = await rows.end(db, org.id, params.app)
    if (id === null) throw notFound('app')
    await enqueue(db, forgetApp, { appId: id }, { orgId: org.id })
    await record(db, { org, ...call }, { action: 'hooks.app.deleted', target: id })
    return id
  },
})
