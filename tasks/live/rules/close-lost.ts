import type { DatabasePool } from '#sql/db.ts'
import { takeLapsed } from '#sql/live/sessions.ts'
import { closeBroadcast } from './close-broadcast.ts'

/**
 * Ends broadcasts whose worker died this many seconds ago and whose publisher did not return. Returns the number of
 * ended broadcasts.
 */
export async function closeLost(db: DatabasePool, seconds: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const lapsed = await takeLapsed(tx, seconds)
    for (const session of lapsed) await closeBroadcast(tx, session.broadcast_id, session.end_requested ?? 'lost')
    return lapsed.length
  })
}
