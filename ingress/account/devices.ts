import { z } from 'zod'
import { unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import { secret } from '#lib/secret-fields.ts'
import { deviceMinutes, pollSeconds } from '#sql/account/device-logins.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as orgs from '#sql/account/orgs.ts'
import { DeviceInput } from '#tasks/account/rules/device-code.ts'
import { collectKey, startLogin } from '#tasks/account/rules/device-login.ts'
import { dashboardFrame } from '../http/dashboard/contents.ts'
import { dashboardUrl, hasDashboardHost } from '../http/hosts.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { ApiKey, keyLimit, presentKey, scopeNotHeld } from './key-schemas.ts'

const shared = { public: true, beyondContract: true } as const

const DeviceLogin = z
  .object({
    device_code: secret(z.string()).describe('Secret of the device. Send it to `POST /v1/account/devices/token`.'),
    user_code: z.string().describe('Code that the member enters'),
    verification_uri: z.url().describe('Page for the code'),
    verification_uri_complete: z.url().describe('Page with the code'),
    expires_in: z.int().describe('Time to live of both codes in seconds'),
    interval: z.int().describe('Time between two requests for the key in seconds'),
  })
  .meta({ id: 'account.DeviceLogin' })

export const create = route({
  ...shared,
  method: 'POST',
  path: '/account/devices',
  summary: 'Start a device login',
  description:
    'For programs without a browser (RFC 8628). Show `user_code` and open `verification_uri_complete`. A member approves the request in the dashboard. Then collect the API key.',
  limit: { perMinute: 10, by: 'ip' },
  body: DeviceInput,
  status: 201,
  reply: DeviceLogin,
  problems: ['rate_limited'],
  example: { body: { client_name: 'Millrace CLI on laptop', scopes: ['email:send'] } },
  async handle({ body, db, ip, origin, services }) {
    const from = { network: getLoggedNetwork(ip), signing: services(signingSecret) }
    const started = await startLogin(db, body, from)
    if (!started) throw unavailable('Too many device logins are open. Try again in some minutes.', 60)
    const page = new URL(`${dashboardFrame.base}/device`, hasDashboardHost ? dashboardUrl : origin)
    const { device_code, user_code } = started
    return {
      ...{ device_code, user_code, verification_uri: page.href },
      verification_uri_complete: `${page.href}?code=${user_code}`,
      ...{ expires_in: deviceMinutes * 60, interval: pollSeconds },
    }
  },
})

const pending = problem(
  400,
  'authorization_pending',
  'The member has not decided yet. Send the request again after `interval` seconds.',
)
const slowDown = problem(400, 'slow_down', 'The device asked too early. The interval is now 5 seconds longer.')
const accessDenied = problem(400, 'access_denied', 'The member denied the request, or can no longer create the key.')
const expiredToken = problem(400, 'expired_token', 'The device code is unknown, was used or has expired.')

export const collect = route({
  ...shared,
  method: 'POST',
  path: '/account/devices/token',
  summary: 'Collect the API key of a device login',
  description:
    'Repeat this request with the `interval` of the login until a member has decided. `secret` is returned only in this response, and only once.',
  limit: { perMinute: 120, by: 'ip' },
  body: z.strictObject({ device_code: secret(z.string().min(1).max(200)) }),
  status: 200,
  reply: z
    .object({
      key: ApiKey,
      secret: secret(z.string()).describe('API key. Returned only in this response.'),
      organisation: z.object({ id: Id, name: z.string() }),
    })
    .meta({ id: 'account.DeviceKey' }),
  problems: [pending, slowDown, accessDenied, expiredToken, 'conflict', keyLimit, scopeNotHeld, 'rate_limited'],
  async handle({ body: { device_code }, db, ip, requestId }) {
    const about = { requestId, network: getLoggedNetwork(ip) }
    const collected = await db.transaction((tx) => collectKey(tx, device_code, about))
    if ('refusal' in collected) throw collected.refusal
    const { key, orgId } = collected
    const { id, name } = await mustFind(orgs.find(db, orgId), 'organisation')
    const shown = presentKey(key, await secrets.listActive(db, [key.id]))
    return { key: shown, secret: key.secret, organisation: { id, name } }
  },
})
