import type { Db } from '#sql/db.ts'

/** Names of the lists of the area trust that have an address. */
export async function listsOf(_db: Db, _ip: string): Promise<readonly string[]> {
  return []
}
