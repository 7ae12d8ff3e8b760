import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { RunningAttempt } from './attempt.ts'
import type { Gate } from './controls.ts'
import type { FairShare } from './fair-share.ts'
import type { History } from './history.ts'
import type { SlotShares } from './slot-shares.ts'

/** What one pool's worker runs its jobs with. */
export interface PoolContext<P extends PoolName = PoolName> {
  pool: P
  db: DatabasePool
  tools: Tools[P]
  /** The name under which jobs are locked. */
  lockedBy: string
  /** What it may fetch and run by the pauses and drains there are. */
  gate: Gate
  /** Milliseconds for which no host may be able to do a job before it is given up. */
  hostFaultMs: number
  /** Whether this worker may still believe that its jobs are its own. */
  mayWork(): boolean
  /** Whether a job that the queue library still has is another's by now. */
  isStale(job: object): boolean
  /** The attempts under way. */
  running: Set<RunningAttempt>
  turns: FairShare
  /** Among whom its slots are shared; undefined where organisations have no shares. */
  shares: SlotShares | undefined
  history: History
}
