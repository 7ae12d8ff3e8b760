import type { DatabasePool } from '#sql/db.ts'
import { takeLapsed } from '#sql/live/sessions.ts'
import { closeBroadcast } from './close-broadcast.ts'

/** Ends the broadcasts whose worker died so many seconds ago, and whose publisher came back to none; returns how many. */
export async function closeLost(db: DatabasePool, seconds: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const lapsed = await takeLapsed(tx, seconds)
    for (const session of lapsed) await closeBroadcast(tx, session.broadcast_id, session.end_requested ?? 'lost')
    return lapsed.length
  })
}
