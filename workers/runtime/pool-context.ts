import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { Gate } from './controls.ts'
import type { FairShare } from './fair-share.ts'
import type { History } from './history.ts'
import type { JobRun } from './job-run.ts'
import type { SlotShares } from './slot-shares.ts'

export interface PoolContext<P extends PoolName = PoolName> {
  pool: P
  db: DatabasePool
  tools: Tools[P]
  lockedBy: string
  gate: Gate
  hostFaultMs: number
  /** True while this worker can assume that it owns its jobs. */
  mayWork(): boolean
  /** True if another worker can own a job that the queue library still holds. */
  isStale(job: object): boolean
  running: Set<JobRun>
  turns: FairShare
  shares: SlotShares | undefined
  history: History
}
