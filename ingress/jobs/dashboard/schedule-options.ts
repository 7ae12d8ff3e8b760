import type { DatabasePool } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as schedules from '#sql/work/schedules.ts'

/** Maximum number of schedules in the filter of a list. */
const most = 200

/** Returns the newest schedules as options of a filter: IDs and names. */
export async function scheduleOptions(db: DatabasePool, orgId: string): Promise<(readonly [string, string])[]> {
  const found = await schedules.list(db, orgId, { where: everything, before: undefined, limit: most })
  return found.map(({ id, name }) => [id, name] as const)
}
