import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { findMissing, type Scope } from './scopes.ts'

/** Returns the keys that are active and have a scope now. The dashboard’s key has the permissions of each member. */
export async function filterEntitled(db: Db, ids: readonly string[], scope: Scope): Promise<ReadonlySet<string>> {
  const active = await keys.findActive(db, ids)
  const entitled = active.filter(({ scopes, is_managed }) => !is_managed || findMissing(scopes, scope).length === 0)
  return new Set(entitled.map(({ id }) => id))
}
