import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { canReach } from '#tasks/account/rules/grant.ts'

/**
 * Returns a key of the organisation, or `null` if the calling key cannot access it. Test keys can access test keys.
 * Locked keys can access keys with the same locks.
 */
export async function findReachableKey(
  db: Db,
  { org, key }: Pick<keys.Caller, 'org' | 'key'>,
  id: string,
): Promise<keys.Key | null> {
  const found = await keys.find(db, org.id, id)
  return found && canReach(key, found) ? found : null
}
