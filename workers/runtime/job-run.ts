import { randomUUID } from 'node:crypto'
import type { Job } from 'graphile-worker'
import type { Logger } from 'pino'
import { OwnershipLostError } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { LockedJob } from '#sql/jobs/locked-jobs.ts'
import * as runs from '#sql/jobs/runs.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask, Attempt, Envelope } from '#tasks/queue/task.ts'
import type { PoolContext } from './pool-context.ts'
import type { Ending, TaskStatistics } from './statistics.ts'

/** Timeout in milliseconds after its signal, after which a task is treated as ended. */
const abandonMs = 10_000

const progressMs = 500

/**
 * One run of a fetched job by this worker, until the job is done or back in the queue. A subclass adds the pool’s
 * tools, and the task gets the run as its tools. Optimised: an empty job needs only one allocation.
 */
export class JobRun implements Attempt {
  readonly context: PoolContext
  readonly task: AnyTask
  readonly envelope: Envelope
  readonly job: Job
  readonly statistics: TaskStatistics
  readonly db: DatabasePool
  readonly attempt: number
  readonly runId: string | undefined
  readonly token: string | undefined
  begun = 0
  deadline = 0
  /** The result. Undefined while the job runs, and if this worker lost the job. */
  ending: Ending | undefined
  /** True if the task came to its end, so it did not kill the worker. */
  cameToEnd = false
  reason: Error | undefined
  /** True once this attempt owns the run of a tracked task. Before that, the token does not match the run. */
  owned = false
  #controller: AbortController | undefined
  #log: Logger | undefined
  #abandon: ((reason: Error) => void) | undefined
  #abandoning: NodeJS.Timeout | undefined
  #progressAt = 0

  constructor(context: PoolContext, task: AnyTask, envelope: Envelope, job: Job, statistics: TaskStatistics) {
    this.context = context
    this.task = task
    this.envelope = envelope
    this.job = job
    this.statistics = statistics
    this.db = context.db
    this.attempt = job.attempts
    this.runId = envelope.run
    this.token = envelope.run && randomUUID()
  }

  get lockedJob(): LockedJob {
    const { pool, lockedBy } = this.context
    return { queue: poolSchema(pool), jobId: Number(this.job.id), worker: lockedBy }
  }

  get log(): Logger {
    this.#log ??= log.child({})
    return this.#log
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.reason) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  start(): void {
    this.begun = performance.now()
    this.deadline = this.begun + this.task.timeout
    this.context.running.add(this)
    this.context.turns.began(this.job, this.envelope.org)
  }

  close(): void {
    if (this.#abandoning) clearTimeout(this.#abandoning)
    this.context.running.delete(this)
    if (this.ending) this.statistics.note(this.ending, this.job.run_at.getTime(), this.begun)
  }

  /** Aborts the signal. A task that does not end within `abandonMs` is abandoned. */
  abort(reason: Error): void {
    if (this.reason) return
    this.reason = reason
    this.#controller?.abort(reason)
    this.#abandoning = setTimeout(() => this.#abandon?.(reason), abandonMs)
  }

  /**
   * Returns the result of the task, or rejects with the abort reason if the task ignores its signal. `Promise.race`
   * would cost twice as much.
   */
  outcome<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#abandon = reject
      work.then(resolve, reject)
    })
  }

  // Tasks use these as separate functions. They are bound on first use, because most tasks never use them.
  get progress(): Attempt['progress'] {
    return (fraction) => this.#noteProgress(fraction)
  }

  get own(): Attempt['own'] {
    return (work) => this.#own(work)
  }

  #noteProgress(fraction: number): void {
    const now = performance.now()
    if (!this.runId || !this.token || now - this.#progressAt < progressMs) return
    this.#progressAt = now
    runs.setProgress(this.db, this.runId, this.token, Math.min(1, Math.max(0, fraction))).then(
      (owned) => {
        if (!owned && !this.reason) this.abort(new OwnershipLostError('another attempt runs this job'))
      },
      (error: Error) => this.log.debug({ err: error.message }, 'progress could not be written'),
    )
  }

  async #own<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return await this.db.transaction(async (tx) => {
      if (this.runId && this.token && !(await runs.lock(tx, this.runId, this.token))) {
        throw new OwnershipLostError('another attempt runs this job')
      }
      return await work(tx)
    })
  }
}
