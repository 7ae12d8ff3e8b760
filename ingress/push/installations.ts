import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/push/installations.ts'
import { claim as claimDevice } from '#sql/push/registrations.ts'
import * as users from '#sql/push/users.ts'
import { notifyStreams } from '#tasks/push/rules/stream-channel.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { PresentedJson } from '../http/presented.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findOwnApp, requireAppAccess } from './apps/own-app.ts'
import { DeviceForm } from './devices/forms.ts'
import { registerDevice } from './devices/register-device.ts'
import { isSimple, simpleDevice } from './devices/registration-facts.ts'
import { registrationGroups } from './devices/registration-groups.ts'
import { Locale, Tags, TimeZone, UserId } from './fields.ts'
import { createStreamCredentials } from './streams/token.ts'

const { status } = rows.table.Row.shape

/** A device, browser or stream in responses. */
export const Installation = z
  .object({
    id: Id,
    app_id: Id,
    user_id: z.string().nullable().describe('`null` for an anonymous device'),
    push_provider: rows.Provider,
    environment: z.enum(['production', 'sandbox']),
    device_id: z.string().nullable().describe('`sse`: your own ID for the device'),
    token_end: z.string().describe('Last characters of the token or endpoint'),
    platform: z.string().nullable(),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    tags: z.array(z.string()),
    status: status.describe('`invalidated`: receives nothing until it registers again'),
    invalidated_reason: z.string().nullable(),
    invalidated_at: Instant.nullable(),
    registered_at: Instant,
    created_at: Instant,
  })
  .meta({ id: 'push.Installation' })

const RegisteredInstallation = Installation.extend({
  stream: z
    .object({ url: secret(z.url()), token: secret(z.string()), expires_at: Instant })
    .optional()
    .describe('`sse`: URL and token of the device’s stream. Register again to renew them.'),
}).meta({ id: 'push.RegisteredInstallation' })

/** Returns an installation with only the end of its token, because anyone who has the token can send to the device. */
export const present = ({ token, provider, ...row }: rows.InstallationView): z.input<typeof Installation> => ({
  ...row,
  push_provider: provider,
  token_end: token.slice(-8),
})

export const create = route({
  method: 'POST',
  path: '/installations',
  repeatable: true,
  summary: 'Register a device',
  description:
    'Registering the same token, or the same `device_id` for a stream, again does not create a second device. The device moves to the given user. Without `user_id`, the device is anonymous and can be claimed later. `previous_token` replaces a token. A user can have up to 20 streams. A new stream replaces the least recently used one. The user is registered automatically.',
  scope: 'push:send',
  locks: ['app_id'],
  body: DeviceForm,
  status: 200,
  reply: RegisteredInstallation,
  problems: ['not_found'],
  example: {
    body: { app_id: '0198f1c2-7f00-7000-8000-000000000001', user_id: 'user-17', push_provider: 'sse', platform: 'web' },
  },
  async handle({ body, org, key, db, origin, services }) {
    if (isSimple(body)) {
      requireAppAccess({ key }, body.app_id)
      return new PresentedJson(await registrationGroups(db, toJson)(simpleDevice(body, org.id)))
    }
    const app = await findOwnApp(db, { org, key }, body.app_id)
    const device = await db.transaction((tx) => registerDevice(tx, body, { org_id: org.id, app_id: app.id }))
    const shown = present({ ...device, user_id: body.user_id ?? null })
    if (device.provider !== 'sse') return shown
    return {
      ...shown,
      stream: createStreamCredentials(origin, { installationId: device.id, keyId: key.id }, services(signingSecret)),
    }
  },
})

const toJson = (device: rows.InstallationView): string => JSON.stringify(Installation.parse(present(device)))

const one = z.object({ installation_id: pathId('installation') })

export const claim = route({
  method: 'POST',
  path: '/installations/{installation_id}/claim',
  repeatable: true,
  summary: 'Link an anonymous device to a user',
  description:
    'Call this after the user signs in. The device keeps its tags and subscriptions. An open stream ends and resumes. Returns `409` if the device belongs to a different user. To move such a device, register it again.',
  scope: 'push:send',
  locks: ['app_id'],
  params: one,
  body: z.strictObject({ user_id: UserId }),
  status: 200,
  reply: Installation,
  problems: ['not_found', 'conflict'],
  example: { body: { user_id: 'user-17' } },
  async handle({ params: { installation_id: id }, body: { user_id }, org, key, db }) {
    const device = await mustFind(rows.find(db, org.id, id), 'installation')
    requireAppAccess({ key }, device.app_id)
    const claimed = await db.transaction(async (tx) => {
      const user = await users.put(tx, { org_id: org.id, app_id: device.app_id, user_id })
      const found = await claimDevice(tx, { id, org_id: org.id }, user.id)
      if (!found) throw conflict('The device belongs to another user. Register it again to move it.')
      if (found.provider === 'sse') await notifyStreams(tx, [id])
      return found
    })
    return present({ ...claimed, user_id })
  },
})

export const update = route({
  method: 'PATCH',
  path: '/installations/{installation_id}',
  summary: 'Update tags, time zone or language',
  description: 'Omitted fields keep their values. `tags` replaces all tags of the device.',
  scope: 'push:send',
  locks: ['app_id'],
  params: one,
  body: z.strictObject({
    tags: Tags.optional().describe('Tags that replace all tags of the device'),
    time_zone: TimeZone.nullable().optional(),
    locale: Locale.nullable().optional(),
  }),
  status: 200,
  reply: Installation,
  problems: ['not_found'],
  example: { body: { tags: ['beta', 'vienna'], time_zone: 'Europe/Vienna' } },
  async handle({ params: { installation_id: id }, body, org, key, db }) {
    const device = await mustFind(rows.find(db, org.id, id), 'installation')
    requireAppAccess({ key }, device.app_id)
    return present(await mustFind(rows.update(db, { id, org_id: org.id }, body), 'installation'))
  },
})

export const list = listRoute({
  path: '/apps/{app_id}/installations',
  summary: 'List devices, newest first',
  description: 'Returns the registered devices of the app. Only the last characters of a device token are shown.',
  scope: 'push:manage',
  locks: ['app_id'],
  params: z.object({ app_id: pathId('app') }),
  filters: rows.filters,
  otherParams: ['user_id'],
  query: {
    status: status.optional(),
    push_provider: rows.Provider.optional(),
    user_id: z.string().max(256).optional(),
  },
  item: Installation,
  problems: ['not_found'],
  async rows({ params, query, org, key, db }, page) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    return await rows.list(db, app.id, { ...page, userId: query.user_id })
  },
  present,
})

export const remove = removeRoute({
  path: '/installations/{installation_id}',
  summary: 'Remove a device',
  description: 'Call this when the user signs out. Pending deliveries are not sent.',
  scope: 'push:send',
  locks: ['app_id'],
  params: z.object({ installation_id: pathId('installation') }),
  what: 'installation',
  remove: async ({ params: { installation_id: id }, org, key, db }) => {
    const device = await mustFind(rows.find(db, org.id, id), 'installation')
    requireAppAccess({ key }, device.app_id)
    await notifyStreams(db, [id])
    return await rows.remove(db, org.id, id)
  },
})
