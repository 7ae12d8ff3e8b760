import type { Job } from 'graphile-worker'
import type { DatabasePool } from '#sql/db.ts'
import { age } from '#sql/jobs/ageing.ts'
import { isPutBack } from '#sql/jobs/locked-jobs.ts'
import { type PoolName, poolSchema } from '#tasks/pools.ts'
import type { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { agedLevel, countAged, getPriority, levelSize } from '#tasks/queue/fairness.ts'

const mostAged = 50

/** Keeps one pool fair: removes started jobs from the backlog of their organisation, and ages the oldest jobs. */
export class FairShare {
  readonly #pool: PoolName
  readonly #backlogs: BacklogSync
  #starts = 0

  constructor(pool: PoolName, backlogs: BacklogSync) {
    this.#pool = pool
    this.#backlogs = backlogs
  }

  began(job: Job, orgId: string | undefined): void {
    this.#starts++
    if (orgId !== undefined && hasWaited(job)) this.#backlogs.begun(this.#pool, orgId, getPriority(job.priority))
  }

  /**
   * Ages jobs that have been due for `afterMs` milliseconds. The number is limited by the starts since the last pass.
   */
  async age(db: DatabasePool, afterMs: number): Promise<void> {
    const { aged: most, left } = countAged(this.#starts, mostAged)
    if (most === 0) return
    this.#starts = left
    await age(db, { pool: this.#pool, queue: poolSchema(this.#pool), afterMs, most, levelSize, agedLevel })
  }
}

/** True if a job counted as waiting when it was enqueued. Retries and jobs scheduled for later do not count. */
function hasWaited({ attempts, revision, run_at, created_at, last_error }: Job): boolean {
  return attempts === 1 && (revision > 0 || run_at.getTime() <= created_at.getTime() || isPutBack(last_error))
}
