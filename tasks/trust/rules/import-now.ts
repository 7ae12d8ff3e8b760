import type { DatabasePool } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { scheduleImport } from './schedule-import.ts'

/**
 * Fetches a feed now for an operator and records the operator. `anyway` allows the loss of more than half of its
 * entries. Returns the run’s ID. `null` if no feed with this name has a URL.
 */
export async function importNow(
  db: DatabasePool,
  name: string,
  { actor, anyway }: { actor: string; anyway: boolean },
): Promise<string | null> {
  const feed = await feeds.findByName(db, name)
  if (feed === null || feed.url === null) return null
  return await db.transaction(async (tx) => {
    await controls.recordAction(tx, { actor, action: 'import', target: `feed ${name}`, count: 1 })
    return await scheduleImport(tx, feed.id, anyway)
  })
}
