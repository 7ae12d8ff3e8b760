import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { reaches } from '#tasks/account/rules/grant.ts'

/**
 * Returns a key of the organisation. `null` if the calling key does not reach it: test keys reach test keys, locked
 * keys reach keys with the same locks.
 */
export async function keyInReach(
  db: Db,
  { org, key }: Pick<keys.Caller, 'org' | 'key'>,
  id: string,
): Promise<keys.Key | null> {
  const found = await keys.find(db, org.id, id)
  return found && reaches(key, found) ? found : null
}
