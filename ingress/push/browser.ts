import { z } from 'zod'
import { badRequest, forbidden, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as browsers from '#sql/push/browsers.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as installations from '#sql/push/installations.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { liveKeys } from '../http/live-keys.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { createInstallationToken, readInstallationToken, readUserToken } from './devices/browser-tokens.ts'
import { Subscription } from './devices/forms.ts'
import { registerBrowser } from './devices/register-browser.ts'
import { Locale } from './fields.ts'

const Token = secret(z.string().min(1).max(2_000))

const shared = { scope: 'push:subscribe', site: true } as const

/**
 * Maximum number of requests per minute from one IP address. This is enough for an office whose people subscribe at the
 * same time, but not for a list of invented endpoints.
 */
const limit = { perMinute: 120, by: 'ip' } as const

const vapid = z.string().nullable().describe('`applicationServerKey` of `PushManager.subscribe` (RFC 8292)')

/** Returns the app of a key. Throws 403 if the key has no app, or if a public key is used outside a web page. */
function appOf({ key }: Pick<Caller, 'key'>, origin: string | undefined): string {
  const { app_id } = key.locks
  if (app_id === undefined) throw forbidden('This key is not restricted to an app. Use a public key of the app.')
  // Browsers send the page’s origin in every POST (Fetch standard §3.2.5). The key’s lock contains the allowed origins.
  if (key.prefix === 'bt_site_' && origin === undefined)
    throw forbidden('A public key can register browsers only from a web page.')
  return app_id
}

const vapidOf = async (db: Db, appId: string) =>
  (await credentials.listForApp(db, appId)).find(({ provider }) => provider === 'webpush')?.facts.public_key ?? null

export const read = route({
  ...shared,
  method: 'GET',
  path: '/browser',
  locks: ['app_id'],
  summary: 'Read the Web Push settings of a web page',
  description: 'Returns the VAPID public key for `pushManager.subscribe`. Call this from a web page with a public key.',
  status: 200,
  reply: z.object({ app_id: Id, vapid_public_key: vapid }).meta({ id: 'push.BrowserSetup' }),
  limit,
  async handle({ key, db }) {
    const app_id = appOf({ key }, '')
    return { app_id, vapid_public_key: await vapidOf(db, app_id) }
  },
})

const RegisteredBrowser = z
  .object({
    installation_id: Id,
    installation_token: secret(z.string()).describe(
      'Token with which the browser renews and removes its installation. Do not share it with other clients.',
    ),
    anonymous: z.boolean().describe('True if the browser is not linked to a user'),
    vapid_public_key: vapid,
    registered_at: Instant,
  })
  .meta({ id: 'push.RegisteredBrowser' })

export const register = route({
  ...shared,
  method: 'POST',
  path: '/browser',
  locks: ['app_id'],
  repeatable: true,
  summary: 'Register or renew the browser of a web page',
  description:
    'Requires a public key with `push:subscribe` and a web page on one of the key’s origins. `user_token` links the browser to a user. Without `user_token`, the link does not change, and a new browser is anonymous. With `installation_token`, the new subscription replaces the old one immediately. A subscription of a different browser is rejected. Returns `404` if the installation was removed.',
  limit,
  body: z.strictObject({
    subscription: Subscription.describe('Result of `PushManager.subscribe`'),
    installation_token: Token.optional().describe('Token of the installation to renew'),
    user_token: Token.optional().describe('Token from `POST /user-tokens` for the signed-in user'),
    locale: Locale.optional(),
  }),
  status: 200,
  reply: RegisteredBrowser,
  problems: ['not_found', 'conflict'],
  example: {
    body: {
      subscription: {
        endpoint: 'https://push.example.com/4f6f…',
        keys: { p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx…', auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
      },
    },
  },
  async handle({ body, org, key, db, header, services }) {
    const app_id = appOf({ key }, header('origin'))
    const { subscription, installation_token, user_token, locale } = body
    const device = await registerBrowser(db, {
      org_id: org.id,
      app_id,
      subscription,
      installationId: installation_token === undefined ? undefined : ownedBy(installation_token, app_id, services),
      pushUserId: user_token === undefined ? undefined : await namedBy(user_token, app_id, services),
      locale,
    })
    const { id: installation_id, anonymous, registered_at } = device
    return {
      installation_id,
      installation_token: createInstallationToken({ app_id, installation_id }, services(signingSecret)),
      anonymous,
      vapid_public_key: await vapidOf(db, app_id),
      registered_at,
    }
  },
})

/**
 * Returns the user in a web page’s token. Throws 400 if the token has expired, is for a different app, or its key is
 * revoked.
 */
async function namedBy(token: string, appId: string, services: Services): Promise<string> {
  const named = readUserToken(token, services(signingSecret))
  if (named?.app_id === appId && (await services(liveKeys).isLive(named.key_id))) return named.push_user_id
  throw badRequest([
    { field: 'body.user_token', issue: 'is invalid or has expired. Create a new user token on your server.' },
  ])
}

/** Returns the browser’s own installation. Throws 400 if the token is invalid, and 404 if it is for a different app. */
function ownedBy(token: string, appId: string, services: Services): string {
  const owned = readInstallationToken(token, services(signingSecret))
  if (!owned)
    throw badRequest([{ field: 'body.installation_token', issue: 'must be an installation token of this service' }])
  if (owned.app_id !== appId) throw notFound('installation')
  return owned.installation_id
}

export const unsubscribe = route({
  ...shared,
  method: 'POST',
  path: '/browser/unsubscribe',
  locks: ['app_id'],
  repeatable: true,
  summary: 'Remove the browser of a web page',
  description: 'Call this when the user signs out. Pending deliveries are not sent.',
  limit,
  body: z.strictObject({ installation_token: Token }),
  status: 200,
  reply: z.object({ installation_id: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ body, org, key, db, header, services }) {
    const appId = appOf({ key }, header('origin'))
    const id = ownedBy(body.installation_token, appId, services)
    return await db.transaction(async (tx) => {
      const device = await browsers.find(tx, appId, id)
      if (!device || !(await installations.remove(tx, org.id, id))) throw notFound('installation')
      return { installation_id: id, deleted: true as const }
    })
  },
})
