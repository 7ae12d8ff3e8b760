import type { Db } from '#sql/db.ts'
import type { Attempt } from '#sql/work/jobs.ts'
import * as turns from '#sql/work/turns.ts'
import { endJobs } from './end-jobs.ts'

/** Result of an attempt: the job ends, or waits for a further attempt. */
export type Outcome =
  | { kind: 'end'; job: turns.Begun; status: turns.End['status']; attempt: Attempt | null }
  | { kind: 'return'; job: turns.Begun; attempt: Attempt | null; waitMs: number }

/**
 * Records the outcomes of many attempts in the caller’s transaction. The outcome of a job that was cancelled in the
 * meantime is dropped.
 */
export async function recordOutcomes(tx: Db, outcomes: readonly Outcome[]): Promise<void> {
  const returns = outcomes.flatMap((one) => (one.kind === 'return' ? [toReturn(one)] : []))
  const returned = returns.length > 0 ? await turns.returnMany(tx, returns) : []
  await endJobs(
    tx,
    outcomes.flatMap((one) => (one.kind === 'end' ? [toEnd(one)] : [])),
    returned,
  )
}

const toEnd = ({ job: { id, turn }, status, attempt }: Outcome & { kind: 'end' }): turns.End => ({
  ...{ id, turn, status, attempt },
  error: null,
})

const toReturn = ({ job: { id, turn }, attempt, waitMs }: Outcome & { kind: 'return' }): turns.Return => ({
  ...{ id, turn, attempt },
  wait_ms: waitMs,
})
