import type { Job } from 'graphile-worker'
import { Cancelled, describe, Later, OwnershipLost, Permanent, Rejected } from '#lib/errors.ts'
import { isStorageAway } from '#lib/storage-away.ts'
import { type DatabasePool, isDisconnected } from '#sql/db.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/task.ts'
import type { RunningAttempt } from './attempt.ts'
import type { Bench } from './bench.ts'
import { onceConnected } from './once-connected.ts'

/** The reason of the signal when the process is about to end: the job is handed back, not failed. */
export class ShuttingDown extends Error {
  override name = 'ShuttingDown'
}

/** How long a job waits whose host has no room, database or storage: that is no fault of the job's, and costs it no attempt. */
const unfitMs = 5_000

/** Ends a tracked attempt's turn at its run; throws when another attempt has the run. */
export async function end(attempt: RunningAttempt, ending: runs.Ending): Promise<void> {
  if (!attempt.runId || !attempt.token) return
  const { runId, token } = attempt
  if (await onceConnected(() => runs.end(attempt.db, runId, token, ending))) return
  throw new OwnershipLost('another attempt runs this job')
}

/**
 * Turns what a task threw into one of the outcomes. Returning completes the job (or hands it back, when it was marked
 * `later`); throwing fails it, with a retry if attempts are left.
 */
export async function settle(
  bench: Bench,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  thrown: Error,
): Promise<void> {
  const error = attempt.reason ?? thrown
  if (error instanceof OwnershipLost) throw error
  attempt.ending = 'returned'
  if (error instanceof Later) return await postpone(bench, attempt, job, 'later', error.delay)
  if (error instanceof ShuttingDown) return await postpone(bench, attempt, job, 'handed_back', 0)
  if (error instanceof Cancelled) {
    await giveUp(task, envelope, error, bench.db)
    return await end(attempt, { outcome: 'cancelled', error: error.message, envelope })
  }
  if (error instanceof Rejected) {
    await giveUp(task, envelope, error, bench.db)
    attempt.ending = 'rejected'
    return await end(attempt, { outcome: 'rejected', error: describe(error), envelope })
  }
  if (lacksRoom(error) || isDisconnected(error) || isStorageAway(error)) {
    attempt.log.warn({ err: describe(error) }, 'this host cannot do the job now; it waits')
    return await postpone(bench, attempt, job, 'later', unfitMs)
  }
  if (attempt.runId && (await isReplaced(bench, job))) {
    await end(attempt, { outcome: 'cancelled', error: 'another job took its key' })
    throw error
  }
  const last = error instanceof Permanent || job.attempts >= job.max_attempts
  attempt.ending = last ? 'failed' : 'retried'
  bench.history.failed({ pool: bench.pool, worker: bench.lockedBy, task, envelope, attempt, job, error, final: last })
  if (last) await giveUp(task, envelope, error, bench.db)
  await end(attempt, { outcome: last ? 'failed' : 'retry', error: describe(error), envelope })
  if (error instanceof Permanent)
    await queue.spendAttempts(bench.db, poolSchema(bench.pool), Number(job.id), bench.lockedBy)
  throw error
}

/** Whether another job took the key of this one while it ran: that one does the work, and this one is not tried again. */
const isReplaced = async ({ db, pool, lockedBy }: Bench, job: Job) =>
  job.key !== null &&
  job.attempts < job.max_attempts &&
  (await queue.isReplaced(db, poolSchema(pool), Number(job.id), lockedBy))

/** Whether an error, or what caused it, says that a disk of this host is full. */
function lacksRoom(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && (e.code === 'ENOSPC' || e.code === 'EDQUOT' || e.code === 'no_space')) return true
  }
  return false
}

async function postpone(
  bench: Bench,
  attempt: RunningAttempt,
  job: Job,
  outcome: 'later' | 'handed_back',
  delay: number,
): Promise<void> {
  await end(attempt, { outcome })
  await onceConnected(() => queue.markLater(bench.db, poolSchema(bench.pool), Number(job.id), bench.lockedBy, delay))
}

/** Tells a task that a job of it is given up. */
export async function giveUp(task: AnyTask, envelope: Envelope, error: Error, db: DatabasePool): Promise<void> {
  const payload = task.payload.safeParse(envelope.payload)
  if (payload.success) await task.giveUp?.(payload.data, error, { db, runId: envelope.run })
}
