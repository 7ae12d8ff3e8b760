import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { NameInput, renameOrg } from '#tasks/account/rules/organisation.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'

const Organisation = z
  .object({
    id: Id,
    name: z.string(),
    plan: z.string(),
    created_at: Instant,
    limits: z.record(z.string(), z.number()).describe('Plan limits by name'),
    mode: keys.Mode.describe('Mode of the calling key'),
  })
  .meta({ id: 'account.Organisation' })

const shared = { path: '/account', beyondContract: true, status: 200, reply: Organisation } as const

function present(org: orgs.Org, plan: keys.Caller['plan'], mode: keys.Key['mode']) {
  const limits = Object.fromEntries(plans.limitNames.map((name) => [name, plan[name]]))
  return { ...org, limits, mode }
}

export const read = route({
  ...shared,
  method: 'GET',
  summary: 'Read the organisation, its plan and limits',
  description: 'Returns the organisation of this API key, with its plan, its limits and the mode of the key.',
  tool: { name: 'get_account' },
  scope: 'account:read',
  testKeys: 'shared',
  locks: [],
  problems: ['not_found'],
  async handle({ org, key, plan, db }) {
    return present(await mustFind(orgs.find(db, org.id), 'organisation'), plan, key.mode)
  },
})

export const update = route({
  ...shared,
  method: 'PATCH',
  summary: 'Rename the organisation',
  description: 'Changes the name that members see in the dashboard and in emails.',
  scope: 'account:write',
  limit: { perMinute: 20, by: 'org' },
  body: z.strictObject({ name: NameInput }),
  async handle({ body, db, plan, ...call }) {
    const org = await db.transaction((tx) => renameOrg(tx, actForKey(call), body.name))
    return present(org, plan, call.key.mode)
  },
})
