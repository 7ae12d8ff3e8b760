import type { DatabasePool } from '#sql/db.ts'
import * as restreams from '#sql/rooms/restreams.ts'
import type { RestreamTargets } from '../../live/engine.ts'

export const roomRestreamTargets = (db: DatabasePool, workerId: string): RestreamTargets => ({
  list: (roomId) => restreams.listEnabled(db, roomId),
  tell: (target, told) => restreams.setState(db, workerId, target, told),
})
