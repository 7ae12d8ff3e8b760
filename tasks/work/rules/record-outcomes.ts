import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import type { Attempt } from '#sql/work/jobs.ts'
import * as turns from '#sql/work/turns.ts'
import { refillPlaces } from './admit-jobs.ts'
import { endJobs } from './end-jobs.ts'

/** Result of an attempt: the job ends, or waits for a further attempt. */
export type Outcome =
  | { kind: 'end'; job: turns.Begun; status: turns.End['status']; attempt: Attempt | null; result?: string | null }
  | { kind: 'return'; job: turns.Begun; attempt: Attempt | null; waitMs: number }

/**
 * Records the outcomes of many attempts in the caller’s transaction. A job that should wait for a further attempt, but
 * was cancelled in the meantime, ends.
 */
export async function recordOutcomes(tx: Db, outcomes: readonly Outcome[]): Promise<void> {
  // Before any job is locked, as in every transaction that ends jobs of flows.
  await flows.lockMany(
    tx,
    outcomes.flatMap(({ job }) => (job.origin_kind === 'flow' && job.origin_id ? [job.origin_id] : [])),
  )
  const ends = outcomes.flatMap((one) => (one.kind === 'end' ? [toEnd(one.job, one)] : []))
  const wanted = outcomes.flatMap((one) => (one.kind === 'return' ? [one] : []))
  const returned =
    wanted.length === 0
      ? []
      : await turns.returnMany(
          tx,
          wanted.map(({ job: { id, turn }, attempt, waitMs }) => ({ id, turn, attempt, wait_ms: waitMs })),
        )
  const waiting = new Set(returned.map(({ id }) => id))
  const cancelled = wanted.filter(({ job }) => !waiting.has(job.id))
  await endJobs(tx, [...ends, ...cancelled.map(({ job, attempt }) => toEnd(job, { status: 'cancelled', attempt }))])
  await refillPlaces(tx, returned)
}

const toEnd = (
  { id, turn }: turns.Begun,
  { status, attempt, result = null }: { status: turns.End['status']; attempt: Attempt | null; result?: string | null },
): turns.End => ({ id, turn, status, attempt, error: null, result })
