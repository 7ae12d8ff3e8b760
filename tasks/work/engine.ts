import type { Begun, Turn } from '#sql/work/turns.ts'
import type { Outcome } from './rules/record-outcomes.ts'

/** Begins jobs and records their outcomes in one statement for many jobs. */
export interface JobBatches {
  /** Begins a turn. Null if the job has ended, or has another turn. */
  begin(turn: Turn): Promise<Begun | null>
  /** Resolves when the outcome is committed. */
  record(outcome: Outcome): Promise<void>
  /** Calls `cancel` if the job must be aborted, until the result is disposed of. */
  watch(jobId: string, cancel: () => void): Disposable
}
