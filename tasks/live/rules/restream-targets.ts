import type { DatabasePool } from '#sql/db.ts'
import * as restreams from '#sql/live/restreams.ts'
import type { RestreamTargets } from '../engine.ts'

export const restreamTargets = (db: DatabasePool, workerId: string): RestreamTargets => ({
  list: (channelId) => restreams.listEnabled(db, channelId),
  tell: (target, told) => restreams.setState(db, workerId, target, told),
})
