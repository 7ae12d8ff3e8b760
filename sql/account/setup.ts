import type { KeyPrefix } from '#lib/tokens.ts'
import type { Db } from '../db.ts'
import * as keys from './keys.ts'
import * as orgs from './orgs.ts'

export interface KeyRequest {
  prefix: KeyPrefix
  scopes: string[]
  locks?: keys.Locks
}

/** Creates an organisation and its keys. Returns the secrets by name. This is the only time that they are returned. */
export async function createOrg<Name extends string>(
  db: Db,
  name: string,
  plan: string,
  wanted: Record<Name, KeyRequest>,
): Promise<{ org: orgs.Org; keys: Record<Name, string> }> {
  return await db.transaction(async (tx) => {
    const org = await orgs.insert(tx, { name, plan })
    const made: Partial<Record<Name, string>> = {}
    for (const [key, want] of Object.entries(wanted) as [Name, KeyRequest][]) {
      const { secret } = await keys.create(tx, { ...want, orgId: org.id, name: key })
      made[key] = secret
    }
    return { org, keys: made as Record<Name, string> }
  })
}
