import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { maskText } from '#lib/mask.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import type { Failure } from '#sql/jobs/failures.ts'
import { fingerprint } from './fingerprint.ts'
import type { JobRun } from './job-run.ts'
import type { Clock } from './statistics.ts'

export interface FailedAttempt {
  run: JobRun
  error: Error
  final: boolean
}

/** Maximum number of failures that are not yet written. Further failures are only counted. */
const most = 1_000

const longestError = 8_000

const dropped = counter('millrace_job_failures_unrecorded_total', 'Failures of which only the count was recorded.', [])

/** Stores failed attempts until they are written. Its size is limited, because some tasks always fail. */
export class FailureBox {
  readonly #clock: Clock
  #failed: { failed: FailedAttempt; ended: number }[] = []
  #unwritten: Failure[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(failed: FailedAttempt): void {
    if (this.#failed.length + this.#unwritten.length >= most) dropped.inc()
    else this.#failed.push({ failed, ended: performance.now() })
  }

  take(): Failure[] {
    const taken = [...this.#unwritten, ...this.#failed.map(({ failed, ended }) => this.#row(failed, ended))]
    this.#unwritten = []
    this.#failed = []
    return taken
  }

  putBack(failures: readonly Failure[]): void {
    this.#unwritten = [...failures, ...this.#unwritten].slice(0, most)
  }

  #row({ run, error, final }: FailedAttempt, ended: number): Failure {
    const { context, task, envelope, job } = run
    const message = maskText(toStorableText(describe(error), longestError))
    return {
      id: newId(),
      pool: context.pool,
      task: task.name,
      job_id: Number(job.id),
      run_id: envelope.run ?? null,
      org_id: envelope.org ?? null,
      request_id: envelope.request_id ?? null,
      worker: context.lockedBy,
      attempt: job.attempts,
      final,
      started_at: new Date(run.begun + this.#clock.offset),
      ended_at: new Date(ended + this.#clock.offset),
      error: toStorableText(withStack(message, error), longestError),
      fingerprint: toStorableText(fingerprint(message)),
    }
  }
}

function withStack(message: string, error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return maskText([message, ...frames].join('\n'))
}
