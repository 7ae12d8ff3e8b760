import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/push/users.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { Locale, UserId } from './fields.ts'
import { ownApp } from './own-app.ts'

/** Maps the customer's id of a person to a push user. */
export const create = route({
  method: 'POST',
  path: '/users',
  repeatable: true,
  summary: 'Register a user',
  description:
    'Maps your own user id; registering again changes the locale that is given. Installations register their user by themselves.',
  scope: 'push:send',
  body: z.strictObject({
    app_id: Id,
    user_id: UserId,
    locale: Locale.nullable().optional(),
  }),
  status: 200,
  reply: z
    .object({ id: Id, app_id: Id, user_id: z.string(), locale: z.string().nullable(), created_at: Instant })
    .meta({ id: 'push.User' }),
  problems: ['not_found'],
  example: { body: { app_id: '0198f1c2-7f00-7000-8000-000000000001', user_id: 'user-17', locale: 'de-AT' } },
  async handle({ body, org, key, db }) {
    const app = await ownApp(db, { org, key }, body.app_id)
    return await rows.put(db, { ...body, org_id: org.id, app_id: app.id })
  },
})
