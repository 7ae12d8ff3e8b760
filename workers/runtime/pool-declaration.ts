import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { SlotShare } from './slot-shares.ts'

/** A pool as its folder declares it; what tasks and enqueues know of it is its entry in `tasks/pools.ts`. */
export interface PoolDeclaration<P extends PoolName = PoolName> {
  /** Jobs that one worker process runs at once. */
  concurrency: number
  /**
   * How organisations share its slots: to be declared by every pool that waits for servers that are not ours, as one organisation's
   * could take all of them. `none` says why a pool needs no shares.
   */
  share: SlotShare | { none: string }
  /** Engines of which `millrace_engine_active` is shown from the start. */
  engines?: readonly string[]
  /** Why this machine cannot work for the pool; undefined when it can. */
  lacks(): Promise<string | undefined>
  /** Makes the tools that the pool lends its tasks; once a process. */
  tools(process: PoolResources): Promise<Tools[P]>
}

/** What a worker process shares among its pools' tools. */
export interface ProcessResources {
  db: DatabasePool
  storage: Storage
  /** Ends what tools hold, once the last job of the process has ended: sessions, threads, connections. */
  ends: AsyncDisposableStack
}

/** What a pool's tools are made of. */
export interface PoolResources extends ProcessResources {
  /** The pool's worker, as it is in `jobs.workers` from its first fetch on: what tools take for themselves they hold by it. */
  workerId: string
}
