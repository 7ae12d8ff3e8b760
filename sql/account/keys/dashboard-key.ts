import { newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { type Caller, findCaller, table } from '../keys.ts'

/**
 * Returns the value that is stored instead of a hash. A hash has 64 hexadecimal digits, so no secret can match the
 * value.
 */
const markOf = (orgId: string): string => `dashboard ${orgId}`

export const dashboardKeyName = 'Dashboard'

/**
 * Returns the caller for an organisation’s dashboard: its key without a secret, created on demand, with the scopes of
 * the member.
 */
export async function dashboardCaller(db: Db, orgId: string, scopes: readonly string[]): Promise<Caller> {
  const caller = (await findCaller(db, markOf(orgId))) ?? (await make(db, orgId))
  return { ...caller, key: { ...caller.key, scopes: [...scopes] } }
}

async function make(db: Db, orgId: string): Promise<Caller> {
  const row = { id: newId(), org_id: orgId, hash: markOf(orgId), prefix: 'bt_live_', name: dashboardKeyName }
  await db.query(sql.typeAlias('void')`
    with made as (
      ${table.insert({ ...row, scopes: sql.array([], 'text') })} on conflict (hash) do nothing returning id)
    insert into account.key_secrets (id, key_id, hash, start)
    select id, id, ${row.hash}, ${row.prefix} from made on conflict (hash) do nothing`)
  const made = await findCaller(db, markOf(orgId))
  if (!made) throw new Error(`Organisation ${orgId} has no API key for its dashboard.`)
  return made
}
