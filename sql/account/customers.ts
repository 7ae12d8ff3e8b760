import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { isActiveKey, organisationMatches } from './keys/customer-keys.ts'
import * as orgs from './orgs.ts'

export interface OrgFilter {
  /** Part of the name, ignoring case, or the complete ID. */
  search?: string | undefined
  plan?: string | undefined
}

const ListedOrganisation = orgs.Org.extend({ keys: z.number(), members: z.number() })

export type Listed = z.infer<typeof ListedOrganisation>

export async function list(
  db: Db,
  { search, plan, before, limit }: OrgFilter & { before?: string | undefined; limit: number },
): Promise<readonly Listed[]> {
  return await db.any(sql.type(ListedOrganisation)`
    select ${orgs.table.columns('o')},
      (select count(*) from account.keys as k where k.org_id = o.id and ${isActiveKey}) as keys,
      (select count(*) from account.members as m where m.org_id = o.id) as members
    from account.orgs as o
    where ${organisationMatches(search)} and (${plan ?? null}::text is null or o.plan = ${plan ?? null})
      and (${before ?? null}::uuid is null or o.id < ${before ?? null}::uuid)
    order by o.id desc limit ${limit}`)
}

export async function countByPlan(db: Db): Promise<readonly { plan: string; count: number }[]> {
  return await db.any(sql.type(z.object({ plan: z.string(), count: z.number() }))`
    select plan, count(*) as count from account.orgs group by plan order by count desc, plan`)
}
