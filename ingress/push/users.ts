import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/push/users.ts'
import { announceConsent } from '#tasks/people/rules/announce-consent.ts'
import { endPending } from '#tasks/push/rules/opt-out.ts'
import { removeUser } from '#tasks/push/rules/remove-user.ts'
import { Instant } from '../http/instant.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findOwnApp } from './apps/own-app.ts'
import { Locale, TimeZone, UserId } from './fields.ts'

const stateOf = (before: rows.User, after: rows.User) => ({
  previous_state: before.opted_out_at ? ('denied' as const) : ('granted' as const),
  state: after.opted_out_at ? ('denied' as const) : ('granted' as const),
})

export const create = route({
  method: 'POST',
  path: '/users',
  repeatable: true,
  summary: 'Register a user',
  description:
    'Registers your own user ID. A repeated call updates the given locale and time zone. Registering an installation also registers its user.',
  scope: 'push:send',
  locks: ['app_id'],
  body: z.strictObject({
    app_id: Id,
    user_id: UserId,
    locale: Locale.nullable().optional(),
    time_zone: TimeZone.nullable().optional().describe('Time zone for quiet hours'),
    opted_out: z.boolean().optional().describe('With `true`, the user receives no messages. Default: no change.'),
  }),
  status: 200,
  reply: z
    .object({
      id: Id,
      app_id: Id,
      user_id: z.string(),
      locale: z.string().nullable(),
      time_zone: z.string().nullable(),
      opted_out_at: Instant.nullable().describe('Time since which the user receives no messages'),
      created_at: Instant,
    })
    .meta({ id: 'push.User' }),
  problems: ['not_found'],
  example: { body: { app_id: '0198f1c2-7f00-7000-8000-000000000001', user_id: 'user-17', locale: 'de-AT' } },
  async handle({ body, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, body.app_id)
    return await db.transaction(async (tx) => {
      const before = await rows.findOne(tx, app.id, body.user_id)
      const user = await rows.put(tx, { ...body, org_id: org.id, app_id: app.id })
      if (body.opted_out) await endPending(tx, user)
      if (before) await announceConsent(tx, { ...user, channel: 'push', ...stateOf(before, user), source: 'api' })
      return { ...user, user_id: body.user_id }
    })
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/apps/{app_id}/users/{user_id}',
  summary: 'Delete a user with all devices',
  description:
    'Deletes devices, streams and subscriptions immediately. Pending deliveries are not sent. Messages to this user only are deleted shortly after.',
  scope: 'push:manage',
  locks: ['app_id'],
  params: z.object({ app_id: pathId('app'), user_id: UserId }),
  status: 200,
  reply: z.object({ user_id: z.string(), installations: z.int(), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    const installations = await db.transaction((tx) => removeUser(tx, app, params.user_id))
    if (installations === null) throw notFound('user')
    return { user_id: params.user_id, installations, deleted: true as const }
  },
})
