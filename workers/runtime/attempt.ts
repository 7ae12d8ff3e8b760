import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { OwnershipLostError } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Attempt } from '#tasks/queue/task.ts'
import type { Ending } from './statistics.ts'

/** Timeout in milliseconds after its signal, after which a task is treated as ended. */
const abandonMs = 10_000

const progressMs = 500

/** One run of a job, from fetch to end. Optimised: an empty job needs only one allocation. */
export class RunningAttempt implements Attempt {
  readonly db: DatabasePool
  readonly attempt: number
  readonly runId: string | undefined
  readonly begun: number
  readonly deadline: number
  /** The result. Undefined while the attempt runs, and if this worker lost the job. */
  ending: Ending | undefined
  /** True if the task came to its end, so it did not kill the worker. */
  cameToEnd = false
  reason: Error | undefined
  readonly token: string | undefined
  /** True once this attempt owns the run. Before that, the token does not match the run. */
  owned = false
  #controller: AbortController | undefined
  #log: Logger | undefined
  #abandon: ((reason: Error) => void) | undefined
  #abandoning: NodeJS.Timeout | undefined
  #progressAt = 0

  constructor(db: DatabasePool, attempt: number, timeout: number, runId: string | undefined) {
    this.db = db
    this.attempt = attempt
    this.begun = performance.now()
    this.deadline = this.begun + timeout
    this.runId = runId
    this.token = runId && randomUUID()
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

  close(): void {
    if (this.#abandoning) clearTimeout(this.#abandoning)
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
