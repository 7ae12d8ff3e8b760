import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/push/apps.ts'
import * as credentials from '#sql/push/credentials.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { createVapidKeys } from './apps/credential-forms.ts'
import { findOwnApp, requireAllAppsAccess } from './apps/own-app.ts'
import { sealCredential } from './apps/seal.ts'
import { Fault, listFaults } from './faults.ts'

const params = z.object({ app_id: pathId('app') })

const name = z.string().trim().min(1).max(200)

const App = z
  .object({
    id: Id,
    name: z.string(),
    vapid_public_key: z.string().nullable().describe('`applicationServerKey` for Web Push in browsers (RFC 8292)'),
    faults: z
      .array(Fault)
      .describe('Credentials that a provider is rejecting. Nothing is sent with them until the next attempt.'),
    created_at: Instant,
  })
  .meta({ id: 'push.App' })

const present = (app: rows.App, found: readonly credentials.CredentialFacts[]): z.input<typeof App> => ({
  id: app.id,
  name: app.name,
  vapid_public_key: found.find(({ provider }) => provider === 'webpush')?.facts.public_key ?? null,
  faults: listFaults(found),
  created_at: app.created_at,
})

export async function createVapidCredential(
  tx: Db,
  app: rows.App,
  services: Services,
): Promise<credentials.CredentialFacts> {
  const id = newId()
  const { publicKey, privateKey } = createVapidKeys()
  return await credentials.put(tx, {
    id,
    org_id: app.org_id,
    app_id: app.id,
    provider: 'webpush',
    environment: 'production',
    facts: { public_key: publicKey, subject: config.PUSH_SUBJECT },
    secret: sealCredential(services, id, privateKey),
  })
}

export const create = route({
  method: 'POST',
  path: '/apps',
  summary: 'Create an app',
  description:
    'The app gets its own VAPID key pair. You can send to browsers and streams immediately, and to APNs and FCM after you add credentials.',
  scope: 'push:manage',
  idempotent: true,
  body: z.strictObject({ name }),
  status: 201,
  reply: App,
  example: { body: { name: 'Shop' } },
  async handle({ body, org, key, db, services }) {
    requireAllAppsAccess({ key })
    const app = await rows.insert(db, { id: newId(), org_id: org.id, name: body.name })
    return present(app, [await createVapidCredential(db, app, services)])
  },
})

export const list = listRoute({
  path: '/apps',
  summary: 'List apps, newest first',
  description: 'Returns apps without the credentials of their push providers.',
  tool: { name: 'list_push_apps' },
  scope: 'push:manage',
  testKeys: 'shared',
  locks: ['app_id'],
  item: App,
  async rows({ org, key, db }, page) {
    const found = await rows.list(db, org.id, { ...page, only: key.locks.app_id })
    const theirs = await credentials.listForApps(
      db,
      found.map(({ id }) => id),
    )
    const byApp = Map.groupBy(theirs, ({ app_id }) => app_id)
    return found.map((app) => ({ ...app, credentials: byApp.get(app.id) ?? [] }))
  },
  present: ({ credentials: theirs, ...app }) => present(app, theirs),
})

export const read = route({
  method: 'GET',
  path: '/apps/{app_id}',
  summary: 'Read an app',
  description:
    'Returns the app without the credentials of its push providers. `faults` lists credentials that a provider has rejected.',
  scope: 'push:manage',
  testKeys: 'shared',
  locks: ['app_id'],
  params,
  status: 200,
  reply: App,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    return present(app, await credentials.listForApp(db, app.id))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/apps/{app_id}',
  summary: 'Rename an app',
  description: 'Changes the name of the app. Devices and credentials are not affected.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  body: z.strictObject({ name }),
  status: 200,
  reply: App,
  problems: ['not_found'],
  async handle({ params, body, org, key, db }) {
    const { id } = await findOwnApp(db, { org, key }, params.app_id)
    const app = await mustFind(rows.rename(db, org.id, id, body.name), 'app')
    return present(app, await credentials.listForApp(db, id))
  },
})

export const remove = removeRoute({
  path: '/apps/{app_id}',
  summary: 'Delete an app',
  description:
    'Deletes the app with its credentials, users, installations, messages and counts. Pending deliveries are not sent.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  what: 'app',
  remove: async ({ params, org, key, db }) => {
    const { id } = await findOwnApp(db, { org, key }, params.app_id)
    await rows.remove(db, org.id, id)
  },
})
