import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { OwnershipLost } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Attempt } from '#tasks/queue/task.ts'
import type { Ending } from './statistics.ts'

/** How long a task may go on after its signal before it is treated as ended without it. */
const abandonMs = 10_000

/** How often progress is written at most. */
const progressMs = 500

/** One run of a job, from its fetch to its end; nothing in it costs a no-op job more than its allocation. */
export class RunningAttempt implements Attempt {
  readonly db: DatabasePool
  readonly attempt: number
  readonly runId: string | undefined
  /** When it began, by `performance.now()`. */
  readonly begun: number
  readonly deadline: number
  /** How it ended; undefined while it runs, and when it was not this worker's any more. */
  ending: Ending | undefined
  /** Whether its task came to an end by itself: it did not kill the worker. */
  cameToEnd = false
  /** Why the signal aborted, if it did. */
  reason: Error | undefined
  /** Names this attempt in every write of a tracked task. */
  readonly token: string | undefined
  /** Whether the run is this attempt's by now; until then it is not found by the token. */
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

  /** Aborts the signal; a task that has not ended `abandonMs` later is left behind. */
  abort(reason: Error): void {
    if (this.reason) return
    this.reason = reason
    this.#controller?.abort(reason)
    this.#abandoning = setTimeout(() => this.#abandon?.(reason), abandonMs)
  }

  /** The task's end, or its abort when it ignores its signal. By hand, as `Promise.race` costs twice as much. */
  outcome<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#abandon = reject
      work.then(resolve, reject)
    })
  }

  /** To be called when the attempt has ended. */
  close(): void {
    if (this.#abandoning) clearTimeout(this.#abandoning)
  }

  // Tasks take these two apart from the attempt; bound when asked for, as most never are.
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
        if (!owned && !this.reason) this.abort(new OwnershipLost('another attempt runs this job'))
      },
      (error: Error) => this.log.debug({ err: error.message }, 'progress not written'),
    )
  }

  async #own<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return await this.db.transaction(async (tx) => {
      if (this.runId && this.token && !(await runs.lock(tx, this.runId, this.token))) {
        throw new OwnershipLost('another attempt runs this job')
      }
      return await work(tx)
    })
  }
}
