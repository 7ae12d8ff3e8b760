import type { Begun, Turn } from '#sql/work/turns.ts'
import type { Outcome } from './rules/record-outcomes.ts'

/** Begins jobs and records their outcomes in one statement for many jobs. */
export interface JobBatches {
  /** Returns the job if it is its turn. Null if the job has ended, or has another turn. */
  begin(turn: Turn): Promise<Begun | null>
  /** Resolves when the outcome is committed. */
  record(outcome: Outcome): Promise<void>
  /** Calls `abort` if the job ends in the meantime, until the result is disposed of. */
  watch(turn: Turn, abort: () => void): Disposable
}
