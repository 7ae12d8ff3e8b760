import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { canReach } from '#tasks/account/rules/grant.ts'

/**
 * Returns a key of the organisation. `null` if the calling key does not reach it: test keys reach test keys, locked
 * keys reach keys with the same locks.
 */
export async function findReachableKey(
  db: Db,
  { org, key }: Pick<keys.Caller, 'org' | 'key'>,
  id: string,
): Promise<keys.Key | null> {
  const found = await keys.find(db, org.id, id)
  return found && canReach(key, found) ? found : null
}
