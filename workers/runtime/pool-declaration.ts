import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { SlotShare } from './slot-shares.ts'

/** Declaration of a pool in the pool’s folder. Tasks use the pool’s entry in `tasks/pools.ts`. */
export interface PoolDeclaration<P extends PoolName = PoolName> {
  concurrency: number
  /**
   * Shares of organisations in the slots. Required for every pool that waits for external servers, because one
   * organisation could use all slots. `none` contains the reason why a pool needs no shares.
   */
  share: SlotShare | { none: string }
  engines?: readonly string[]
  /** Returns the reason why this machine cannot run the pool, or undefined if it can. */
  lacks(): Promise<string | undefined>
  tools(process: PoolResources): Promise<Tools[P]>
}

export interface ProcessResources {
  db: DatabasePool
  storage: Storage
  ends: AsyncDisposableStack
}

export interface PoolResources extends ProcessResources {
  /**
   * ID of the pool’s worker in `jobs.workers`. The worker registers before the first fetch. Tools reserve resources
   * under this ID.
   */
  workerId: string
}
