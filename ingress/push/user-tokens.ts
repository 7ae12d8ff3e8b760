import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as users from '#sql/push/users.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findOwnApp } from './apps/own-app.ts'
import { createUserToken } from './devices/browser-tokens.ts'
import { UserId } from './fields.ts'

/**
 * Minimum, default and maximum time to live in seconds. The default is enough for the time between the token's creation
 * and the click.
 */
const [least, usual, most] = [60, 600, 3_600]

export const create = route({
  method: 'POST',
  path: '/user-tokens',
  repeatable: true,
  summary: 'Create a user token for a web page',
  description:
    'Your server creates the token for the signed-in user and includes it in the web page, which passes it to `subscribe`. The user is registered automatically. The token becomes invalid with the API key that created it and with the user.',
  scope: 'push:send',
  locks: ['app_id'],
  body: z.strictObject({
    app_id: Id,
    user_id: UserId,
    expires_in: z
      .int()
      .min(least)
      .max(most)
      .default(usual)
      .describe('Time to live in seconds, 60 to 3,600. Default: 600.'),
  }),
  status: 200,
  reply: z.object({ token: secret(z.string()), expires_at: Instant }).meta({ id: 'push.UserToken' }),
  problems: ['not_found'],
  example: { body: { app_id: '0198f1c2-7f00-7000-8000-000000000001', user_id: 'user-17' } },
  async handle({ body, org, key, db, services }) {
    const app = await findOwnApp(db, { org, key }, body.app_id)
    const user = await users.put(db, { org_id: org.id, app_id: app.id, user_id: body.user_id })
    const exp = Math.floor(Date.now() / 1000) + body.expires_in
    const payload = { app_id: app.id, push_user_id: user.id, key_id: key.id, exp }
    return { token: createUserToken(payload, services(signingSecret)), expires_at: new Date(exp * 1000) }
  },
})
