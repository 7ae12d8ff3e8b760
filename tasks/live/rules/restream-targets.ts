import type { DatabasePool } from '#sql/db.ts'
import type { Restreams } from '#sql/live/restream-queries.ts'
import type { RestreamTargets } from '../engine.ts'

export const restreamTargets = (restreams: Restreams, db: DatabasePool, workerId: string): RestreamTargets => ({
  list: (ownerId) => restreams.listEnabled(db, ownerId),
  tell: (target, told) => restreams.setState(db, workerId, target, told),
})
