import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { Gate } from './controls.ts'
import type { FairShare } from './fair-share.ts'
import type { History } from './history.ts'
import type { SlotShares } from './slot-shares.ts'

/** A running job, as timeouts and cancellations see it (`JobRun`). */
export interface RunningJob {
  readonly runId: string | undefined
  readonly token: string | undefined
  readonly owned: boolean
  readonly deadline: number
  readonly reason: Error | undefined
  abort(reason: Error): void
}

export interface PoolContext<P extends PoolName = PoolName> {
  pool: P
  db: DatabasePool
  tools: Tools[P]
  lockedBy: string
  gate: Gate
  /** True if no job may start: the pool is paused, the host is drained or the worker is stopping. */
  isShut(): boolean
  hostFaultMs: number
  /** True while this worker can assume that it owns its jobs. */
  mayWork(): boolean
  /** True if another worker can own a job that the queue library still holds. */
  isStale(job: object): boolean
  running: Set<RunningJob>
  turns: FairShare
  shares: SlotShares | undefined
  history: History
}
