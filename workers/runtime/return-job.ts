import { setTimeout as pause } from 'node:timers/promises'
import { describe, OwnershipLostError } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import * as lockedJobs from '#sql/jobs/locked-jobs.ts'
import { parkedAt } from '#sql/jobs/parking.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { JobRun } from './job-run.ts'

/**
 * Delay in milliseconds before a job is retried if its host has no space, database or storage. This does not count as
 * an attempt.
 */
export const unfitMs = 5_000

/** Interval in milliseconds between checks of a job whose organisation is being moved. A move takes seconds. */
const movingMs = 15_000

/** Minimum and maximum interval in milliseconds between checks of whether a job’s organisation is still closing. */
const [leastHoldMs, mostHoldMs] = [10 * 60_000, 6 * 3_600_000]

const againMs = 500

/** Returns how a job goes back to the queue if it cannot run now, or undefined if it can run. */
export function findReturn({ context, task, envelope }: JobRun): ((run: JobRun) => Promise<void>) | undefined {
  const { gate } = context
  const { org } = envelope
  if (context.isShut() || gate.paused.has(task.name)) return returnUnrun
  if (org === undefined) return undefined
  if (gate.moving.has(org)) return (run) => returnLater(run, movingMs)
  const closingMs = gate.closing.get(org)
  return closingMs === undefined ? undefined : (run) => returnLater(run, getHoldMs(closingMs))
}

/**
 * Returns a job that was fetched before the worker knew of its pause, drain or stop. If the task is paused, the job is
 * parked. Otherwise it is unchanged.
 */
async function returnUnrun(run: JobRun): Promise<void> {
  const { run_at } = run.job
  const at = run.context.isShut() ? run_at : parkedAt(run_at)
  await untilWritten(run, () => lockedJobs.markReturn(run.db, run.lockedJob, at))
}

/**
 * Returns the delay for a job of an organisation that is being closed. The job waits until the closure is cancelled or
 * the job is deleted with the organisation. The delay until the next check is as long as the organisation has been
 * closing, so that each job needs few checks.
 */
function getHoldMs(closingMs: number): number {
  return Math.min(mostHoldMs, Math.max(leastHoldMs, closingMs))
}

/** Returns a job to the queue because its organisation uses its share of the slots. */
export async function putBack(run: JobRun, delay: number): Promise<void> {
  await untilWritten(run, () => lockedJobs.putBack(run.db, run.lockedJob, delay))
}

/** Returns a job to the queue for a delay in milliseconds, without counting an attempt. */
export async function returnLater(run: JobRun, delay: number): Promise<void> {
  await untilWritten(run, () => lockedJobs.markLater(run.db, run.lockedJob, delay))
}

/** Returns a job to the queue without counting an attempt, after an error outside of its task. */
export async function returnAfterFault(run: JobRun, fault: Error): Promise<void> {
  const isLost = fault instanceof OwnershipLostError
  run.ending = isLost ? undefined : 'returned'
  run.log.warn({ err: describe(fault) }, 'a fault outside the task; the job is waiting')
  const { db, runId, token } = run
  await untilWritten(run, async () => {
    if (runId && token) await runs.end(db, runId, token, { outcome: 'later' })
    await lockedJobs.markLater(db, run.lockedJob, isLost ? 0 : unfitMs)
  })
}

/** Retries a write that returns a job to the queue. Throws only if this worker no longer owns the job. */
async function untilWritten({ context }: JobRun, write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    if (!context.mayWork()) throw new OwnershipLostError('no heartbeat reached the database within the lease')
    try {
      await write()
      return
    } catch (error) {
      log.debug({ err: describe(error) }, 'a job could not be returned to the queue; retrying')
      await pause(againMs)
    }
  }
}
