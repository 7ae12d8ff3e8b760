import type { Job } from 'graphile-worker'
import type { DatabasePool } from '#sql/db.ts'
import { age } from '#sql/jobs/ageing.ts'
import { isPutBack } from '#sql/jobs/queue.ts'
import { type PoolName, poolSchema } from '#tasks/pools.ts'
import type { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { agedAfter, agedLevel, levelSize, priorityOf } from '#tasks/queue/fairness.ts'

/** Jobs aged in one pass at most. */
const mostAged = 50

/** Keeps one pool's turns fair: counts what begins out of its organisation's backlog, and ages the oldest jobs. */
export class FairShare {
  readonly #pool: PoolName
  readonly #backlogs: BacklogSync
  #starts = 0

  constructor(pool: PoolName, backlogs: BacklogSync) {
    this.#pool = pool
    this.#backlogs = backlogs
  }

  /** Notes that a job begins. */
  began(job: Job, orgId: string | undefined): void {
    this.#starts++
    if (orgId !== undefined && hasWaited(job)) this.#backlogs.begun(this.#pool, orgId, priorityOf(job.priority))
  }

  /** Ages as many of the jobs that have been due for `afterMs` milliseconds as the starts since the last pass allow. */
  async age(db: DatabasePool, afterMs: number): Promise<void> {
    const { aged: most, left } = agedAfter(this.#starts, mostAged)
    if (most === 0) return
    this.#starts = left
    await age(db, { pool: this.#pool, queue: poolSchema(this.#pool), afterMs, most, levelSize, agedLevel })
  }
}

/** Whether a job was counted as waiting when it was enqueued: neither a retry nor one whose time was still to come. */
function hasWaited({ attempts, revision, run_at, created_at, last_error }: Job): boolean {
  return attempts === 1 && (revision > 0 || run_at.getTime() <= created_at.getTime() || isPutBack(last_error))
}
