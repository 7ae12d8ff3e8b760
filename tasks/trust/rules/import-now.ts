import type { DatabasePool } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { scheduleImport } from './schedule-import.ts'

/**
 * Has a feed fetched now by an operator's word, which is kept; `anyway` also when more than half of it is gone. The run's id, or
 * null when there is no feed of that name that can be fetched.
 */
export async function importNow(
  db: DatabasePool,
  name: string,
  { actor, anyway }: { actor: string; anyway: boolean },
): Promise<string | null> {
  const feed = await feeds.findByName(db, name)
  if (feed === null || feed.url === null) return null
  return await db.transaction(async (tx) => {
    await controls.note(tx, { actor, action: 'import', target: `feed ${name}`, count: 1 })
    return await scheduleImport(tx, feed.id, anyway)
  })
}
