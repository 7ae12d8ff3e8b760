import type { DatabasePool } from '#sql/db.ts'
import * as restreams from '#sql/rooms/restreams.ts'
import type { RestreamTargets } from '../../live/engine.ts'

/** The targets to which one worker sends the pictures of its rooms. */
export const roomRestreamTargets = (db: DatabasePool, workerId: string): RestreamTargets => ({
  list: (roomId) => restreams.listEnabled(db, roomId),
  tell: (target, told) => restreams.tell(db, workerId, target, told),
})
