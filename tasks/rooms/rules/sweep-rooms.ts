import type { DatabasePool } from '#sql/db.ts'
import { removeLapsed } from '#sql/rooms/hosts.ts'
import { endOverdue, leaveLost } from './presence.ts'

export async function sweepRooms(db: DatabasePool): Promise<void> {
  await db.transaction((tx) => leaveLost(tx))
  await db.transaction((tx) => endOverdue(tx))
  await removeLapsed(db)
}
