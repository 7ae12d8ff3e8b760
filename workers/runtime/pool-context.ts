import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { RunningAttempt } from './attempt.ts'
import type { Gate } from './controls.ts'
import type { FairShare } from './fair-share.ts'
import type { History } from './history.ts'
import type { SlotShares } from './slot-shares.ts'

/** The context in which a pool’s worker runs its jobs. */
export interface PoolContext<P extends PoolName = PoolName> {
  pool: P
  db: DatabasePool
  tools: Tools[P]
  /** Name under which jobs are locked. */
  lockedBy: string
  /** What it can fetch and run, according to pauses and drains. */
  gate: Gate
  /** Milliseconds after which a job fails if no host can run it. */
  hostFaultMs: number
  /** True while this worker can assume that it owns its jobs. */
  mayWork(): boolean
  /** True if another worker can own a job that the queue library still has. */
  isStale(job: object): boolean
  /** Running attempts. */
  running: Set<RunningAttempt>
  turns: FairShare
  /** Shares of the slots. Undefined if organisations have no shares. */
  shares: SlotShares | undefined
  history: History
}
