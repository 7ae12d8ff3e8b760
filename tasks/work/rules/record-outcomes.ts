import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import * as turns from '#sql/work/turns.ts'
import type { Outcome } from '../engine.ts'
import { endJobs } from './end-jobs.ts'

/**
 * Records the outcomes of many attempts in the caller’s transaction. The outcome of a job that was cancelled in the
 * meantime is dropped.
 */
export async function recordOutcomes(tx: Db, outcomes: readonly Outcome[]): Promise<void> {
  // Before any job is locked, as in every transaction that ends jobs of flows.
  const ofFlows = outcomes.flatMap(({ job }) => (job.origin_kind === 'flow' ? [job.id] : []))
  if (ofFlows.length > 0) await flows.lockOfJobs(tx, ofFlows)
  const returns = outcomes.flatMap((one) => (one.kind === 'return' ? [toReturn(one)] : []))
  const returned = returns.length > 0 ? await turns.returnMany(tx, returns) : []
  await endJobs(
    tx,
    outcomes.flatMap((one) => (one.kind === 'end' ? [toEnd(one)] : [])),
    returned,
  )
}

const toEnd = ({ job: { id, turn }, status, attempt, result = null }: Outcome & { kind: 'end' }): turns.End => ({
  ...{ id, turn, status, attempt, result },
  error: null,
})

const toReturn = ({ job: { id, turn }, attempt, waitMs }: Outcome & { kind: 'return' }): turns.Return => ({
  ...{ id, turn, attempt },
  wait_ms: waitMs,
})
