import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { fitHeader, Origin } from '#lib/network/origin.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import * as keys from '#sql/guard/site-keys.ts'
import * as rows from '#sql/guard/sites.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const params = z.object({ site_id: pathId('site') })

const name = z.string().trim().min(1).max(200)

const origins = z
  .array(Origin)
  .max(100)
  .transform((given) => [...new Set(given)])
  .refine(fitHeader.check, fitHeader.error)
  .describe('Origins of the web pages that can use the site key. Clients outside a browser need none.')

const usual: rows.Policy = {
  min_tier: 'normal',
  max_tier: 'extreme',
  noscript: true,
  sha256: false,
  rate_per_minute: 30,
}

const Policy = z.strictObject({
  min_tier: rows.Tier.optional().describe('Lowest difficulty tier for visitors of this site. Default: `normal`.'),
  max_tier: rows.Tier.optional().describe('Highest difficulty tier for visitors of this site. Default: `extreme`.'),
  noscript: z.boolean().optional().describe('True if visitors without JavaScript can wait instead. Default: `true`.'),
  sha256: z
    .boolean()
    .optional()
    .describe(
      'True if the site also accepts SHA-256: for clients that request it, and while no scrypt puzzle is in stock. SHA-256 is much faster in native code than in a browser. Default: `false`.',
    ),
  rate_per_minute: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Challenges per minute from one IP address before challenges get harder. Default: 30.'),
})

const Site = z
  .object({
    id: Id,
    name: z.string(),
    site_key: z.string().describe('Public key for web pages'),
    origins: z.array(z.string()),
    policy: rows.Policy,
    created_at: Instant,
  })
  .meta({ id: 'guard.Site' })

const present = ({ org_id: _, ...site }: rows.Site): z.input<typeof Site> => site

const emitSite = (
  tx: Db,
  type: 'guard.site.created' | 'guard.site.changed' | 'guard.site.key_rotated',
  { id, org_id, name, origins }: rows.Site,
): Promise<void> => emit(tx, org_id, type, { id, name, origins })

/** Merges a policy with the given fields. Throws 400 if `min_tier` is above `max_tier`. */
function merged(before: rows.Policy, given: z.output<typeof Policy>): rows.Policy {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const policy: rows.Policy = { ...before, ...Object.fromEntries(set) }
  if (rows.tiers.indexOf(policy.min_tier) <= rows.tiers.indexOf(policy.max_tier)) return policy
  const field = given.max_tier === undefined ? 'min_tier' : 'max_tier'
  const issue = field === 'min_tier' ? `is above max_tier, ${policy.max_tier}` : `is below min_tier, ${policy.min_tier}`
  throw badRequest([{ field: `body.policy.${field}`, issue }])
}

const example = { name: 'Shop', origins: ['https://shop.example.com'], policy: { min_tier: 'normal' as const } }

export const create = route({
  method: 'POST',
  path: '/sites',
  summary: 'Create a site',
  description: '`site_key` is public. It can only request challenges, from web pages on the allowed origins.',
  scope: 'guard:manage',
  idempotent: true,
  body: z.strictObject({ name, origins, policy: Policy.optional() }),
  status: 201,
  reply: Site,
  example: {
    body: example,
    reply: {
      id: '0198f1c2-7f00-7000-8000-000000000050',
      ...example,
      site_key: 'bt_site_0BxV…',
      policy: usual,
      created_at: '2026-01-01T12:00:00.000Z',
    },
  },
  async handle({ body, org, db }) {
    const site = { id: newId(), org_id: org.id, name: body.name, origins: body.origins }
    const policy = merged(usual, body.policy ?? {})
    const made = await rows.insert(db, { ...site, policy, site_key: await keys.createKey(db, site) })
    await emitSite(db, 'guard.site.created', made)
    return present(made)
  },
})

export const list = listRoute({
  path: '/sites',
  summary: 'List sites, newest first',
  description: 'Returns the sites that issue challenges, with their site key and policy.',
  scope: 'guard:manage',
  item: Site,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const oneSite = {
  scope: 'guard:manage',
  params,
  status: 200,
  reply: Site,
  problems: ['not_found'],
} as const

export const read = route({
  method: 'GET',
  path: '/sites/{site_id}',
  summary: 'Read a site',
  description: 'Returns the site key, the allowed origins and the policy of the site.',
  ...oneSite,
  async handle({ params, org, db }) {
    return present(await mustFind(rows.find(db, org.id, params.site_id), 'site'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/sites/{site_id}',
  summary: 'Update a site',
  description:
    'Omitted fields keep their values, including fields of `policy`. `origins` replaces all origins. Changes apply within 5 seconds.',
  scope: 'guard:manage',
  params,
  body: z.strictObject({ name: name.optional(), origins: origins.optional(), policy: Policy.optional() }),
  status: 200,
  reply: Site,
  problems: ['not_found'],
  example: { body: { policy: { min_tier: 'high' } } },
  async handle({ params, body, org, db }) {
    return await db.transaction(async (tx) => {
      const before = await mustFind(rows.lock(tx, org.id, params.site_id), 'site')
      const { name = before.name, origins = before.origins } = body
      const policy = merged(before.policy, body.policy ?? {})
      const after = await rows.update(tx, { ...before, name, origins, policy })
      if (body.origins) await keys.setOrigins(tx, after)
      await emitSite(tx, 'guard.site.changed', after)
      return present(after)
    })
  },
})

export const rotate = route({
  method: 'POST',
  path: '/sites/{site_id}/rotate',
  summary: 'Rotate a site key',
  description: 'The old key stops working within 5 seconds. Its challenges and tokens stay valid.',
  ...oneSite,
  async handle({ params, org, db }) {
    return await db.transaction(async (tx) => {
      const site = await mustFind(rows.lock(tx, org.id, params.site_id), 'site')
      await keys.revokePublic(tx, org.id, site.id)
      const after = await rows.update(tx, { ...site, site_key: await keys.createKey(tx, site) })
      await emitSite(tx, 'guard.site.key_rotated', after)
      return present(after)
    })
  },
})

export const rotateSecret = route({
  method: 'POST',
  path: '/sites/{site_id}/secret',
  summary: 'Create a secret for a site',
  description:
    'Returns the secret once. Plugins send it to `POST /v1/guard/siteverify`. The secret verifies only tokens of this site, and has no other permission. An earlier secret of the site stops working within 5 seconds.',
  scope: ['guard:manage', 'guard:verify'],
  beyondContract: true,
  params,
  status: 201,
  reply: z
    .object({ site_id: Id, secret: secret(z.string()).describe('Secret of the site, shown this once') })
    .meta({ id: 'guard.SiteSecret' }),
  problems: ['not_found'],
  async handle({ params: { site_id }, org, db }) {
    return await db.transaction(async (tx) => {
      const site = await mustFind(rows.lock(tx, org.id, site_id), 'site')
      await keys.revokeSecrets(tx, org.id, site.id)
      return { site_id, secret: await keys.createSecret(tx, site) }
    })
  },
})

export const remove = removeRoute({
  path: '/sites/{site_id}',
  summary: 'Delete a site',
  description: 'Deletes the site, its key and its counts. Its tokens then return `unknown`.',
  scope: 'guard:manage',
  params,
  what: 'site',
  remove: async ({ params: { site_id: id }, org, db }) => {
    if (!(await rows.remove(db, org.id, id))) return false
    await keys.revokeAll(db, org.id, id)
    await emit(db, org.id, 'guard.site.deleted', { id })
    return true
  },
})
