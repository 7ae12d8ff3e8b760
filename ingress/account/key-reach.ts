import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { reaches } from '#tasks/account/rules/grant.ts'

/** A key of the organisation; null where the asking one does not reach it: a test key reaches test keys, a locked one those with its locks. */
export async function keyInReach(
  db: Db,
  { org, key }: Pick<keys.Caller, 'org' | 'key'>,
  id: string,
): Promise<keys.Key | null> {
  const found = await keys.find(db, org.id, id)
  return found && reaches(key, found) ? found : null
}
