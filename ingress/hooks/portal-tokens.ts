import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as audit from '#sql/account/audit.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as portals from '#sql/hooks/portals.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { Capability, portalUrl, signPortal } from '#tasks/hooks/rules/portal-token.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { record } from './audit.ts'

const longestSeconds = 7 * 86_400

const path = '/apps/{app}/portal-tokens'

export const create = route({
  method: 'POST',
  path,
  repeatable: true,
  summary: 'Create a portal token',
  description:
    'Returns a link to the portal of the app, and a token for `<mill-webhooks>` on your own page. Both end when the token expires, or when its API key is revoked or its app is deleted.',
  scope: 'hooks:write',
  body: z
    .strictObject({
      ttl_seconds: z.int().min(60).max(longestSeconds).default(3_600).describe('Time to live in seconds'),
      capability: Capability.default('manage').describe(
        '`read` shows everything. `manage` also changes endpoints and resends messages.',
      ),
      feature_groups: z
        .array(z.string().min(1).max(64))
        .max(50)
        .optional()
        .describe(
          'Shows only event types without a feature group and event types of these groups. Default: all event types.',
        ),
    })
    .optional(),
  status: 200,
  reply: z.object({
    url: secret(z.url()).describe('URL of the portal'),
    token: secret(z.string()).describe('Token for `<mill-webhooks>`'),
    expires_at: Instant,
  }),
  problems: ['not_found'],
  async handle({
    params,
    body: { ttl_seconds = 3_600, capability = 'manage' as const, feature_groups } = {},
    org,
    key,
    db,
    services,
    ...call
  }) {
    const app = await mustFind(apps.find(db, org.id, params.app), 'app')
    const { portal_version: version } = await mustFind(portals.find(db, org.id, app.id), 'app')
    const exp = Math.floor(Date.now() / 1000) + ttl_seconds
    const about = { org: org.id, key: key.id, app: app.id, version, capability, groups: feature_groups ?? null, exp }
    const act = { action: 'hooks.portal_tokens.created', target: app.id, after: { capability, ttl_seconds } }
    await db.transaction((tx) => record(tx, { org, key, ...call }, act))
    const token = signPortal(about, services(signingSecret))
    return { url: portalUrl(publicUrl(), token), token, expires_at: new Date(exp * 1000) }
  },
})

export const revoke = route({
  method: 'DELETE',
  path,
  summary: 'Revoke all portal tokens of an app',
  description: 'Open portals of the app end with their next request.',
  scope: 'hooks:write',
  status: 200,
  reply: z.object({ id: Id, revoked: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params, db, ...call }) {
    const id = await db.transaction(async (tx) => {
      const app = await mustFind(apps.lock(tx, call.org.id, params.app), 'app')
      await portals.revoke(tx, call.org.id, app.id)
      await audit.append(tx, { ...toAct(actorOfCall(call)), action: 'hooks.portal_tokens.revoked', target: app.id })
      return app.id
    })
    return { id, revoked: true }
  },
})
