import type { Attempt } from '#sql/work/jobs.ts'
import type { Begun, End, Turn } from '#sql/work/turns.ts'

/** Result of an attempt: the job ends, or waits for a further attempt. */
export type Outcome =
  | { kind: 'end'; job: Begun; status: End['status']; attempt: Attempt | null; result?: string | null }
  | { kind: 'return'; job: Begun; attempt: Attempt | null; waitMs: number }

/** Begins jobs and records their outcomes in one statement for many jobs. */
export interface JobBatches {
  /** Returns the job if it is its turn. Null if the job has ended, or has another turn. */
  begin(turn: Turn): Promise<Begun | null>
  /** Resolves when the outcome is committed. */
  record(outcome: Outcome): Promise<void>
  /** Calls `abort` if the job ends in the meantime, until the result is disposed of. */
  watch(turn: Turn, abort: () => void): Disposable
}
