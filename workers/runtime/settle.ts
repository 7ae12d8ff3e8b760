import { config } from '#lib/config.ts'
import {
  Cancelled,
  describe,
  HostFault,
  type HostFaultCode,
  Later,
  OwnershipLostError,
  Permanent,
  Rejected,
} from '#lib/errors.ts'
import { isStorageUnavailable } from '#lib/storage/away.ts'
import { isDisconnected } from '#sql/db.ts'
import * as lockedJobs from '#sql/jobs/locked-jobs.ts'
import * as runs from '#sql/jobs/runs.ts'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { giveUpLater, giveUpNow } from './give-up.ts'
import type { JobRun } from './job-run.ts'
import { returnLater, unfitMs } from './return-job.ts'

/** Abort reason at shutdown: the job returns to the queue and does not fail. */
export class ShuttingDownError extends Error {
  override name = 'ShuttingDownError'
}

/**
 * Ends the attempt of a tracked task. Throws if another attempt owns the run. If Postgres is unavailable after the work
 * is done, no attempt is lost as long as this worker owns the job.
 */
export async function endAttempt({ db, runId, token }: JobRun, ending: runs.Ending): Promise<void> {
  if (!runId || !token) return
  if (await retryUntilConnected(() => runs.end(db, runId, token, ending), { patience: config.LEASE_MS })) return
  throw new OwnershipLostError('another attempt runs this job')
}

/**
 * Converts an error of a task to an outcome. Returns undefined if the job has ended, or if it was marked `later` and
 * returns to the queue when it completes. Otherwise returns the error of the failed attempt, which is retried if
 * attempts remain. Rethrows errors from outside the task.
 */
export async function settle(run: JobRun, thrown: Error): Promise<Error | undefined> {
  const error = run.reason ?? thrown
  if (error instanceof OwnershipLostError) throw error
  run.ending = 'returned'
  if (error instanceof ShuttingDownError) return await postpone(run, 'handed_back', 0)
  if (error instanceof Later) return await postponeByTask(run, error.delay)
  if (error instanceof Cancelled || error instanceof Rejected) return await close(run, error)
  const code = hostFault(error)
  if (code) return await waitForHost(run, error, code)
  if (run.runId && (await isReplaced(run))) {
    await endAttempt(run, { outcome: 'cancelled', error: 'another job replaced this job’s key' })
    return error
  }
  return await fail(run, error)
}

async function postponeByTask(run: JobRun, delay: number): Promise<undefined> {
  run.cameToEnd = true
  if (lockedJobs.isUnfit(run.job.last_error)) await lockedJobs.clearUnfit(run.db, run.lockedJob)
  await postpone(run, 'later', delay)
}

async function postpone(run: JobRun, outcome: 'later' | 'handed_back', delay: number): Promise<undefined> {
  await endAttempt(run, { outcome })
  await returnLater(run, delay)
}

/** Ends a job without a failure: it was cancelled, or its input can never be processed. */
async function close(run: JobRun, error: Cancelled | Rejected): Promise<undefined> {
  const { envelope } = run
  const rejected = error instanceof Rejected
  run.cameToEnd = true
  if (rejected) run.ending = 'rejected'
  if (!(await giveUpNow(run, error))) await giveUpLater(run.db, run, error)
  const outcome = rejected ? 'rejected' : 'cancelled'
  await endAttempt(run, { outcome, error: rejected ? describe(error) : error.message, envelope })
}

function hostFault(error: Error): HostFaultCode | undefined {
  if (lacksRoom(error)) return 'no_room'
  // Check storage first: a refused connection to storage has the same code as a refused connection to Postgres.
  if (isStorageUnavailable(error)) return 'storage_away'
  return isDisconnected(error) ? 'database_away' : undefined
}

/** True if an error or its cause shows that a disk of this host is full. */
function lacksRoom(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && (e.code === 'ENOSPC' || e.code === 'EDQUOT' || e.code === 'no_space')) return true
  }
  return false
}

/**
 * Returns a job to the queue to wait for a host that can run it. This does not count as an attempt. If the wait exceeds
 * the limit, the job fails.
 */
async function waitForHost(run: JobRun, error: Error, code: HostFaultCode): Promise<Error | undefined> {
  const { db, context, job, lockedJob } = run
  const waited = lockedJobs.isUnfit(job.last_error) ? await lockedJobs.getUnfitMs(db, lockedJob) : 0
  if (waited > context.hostFaultMs) return await fail(run, new HostFault(code, error))
  run.log.warn({ err: describe(error) }, 'this host cannot run the job; the job is waiting')
  await lockedJobs.markUnfit(db, lockedJob, describe(error))
  return await postpone(run, 'later', unfitMs)
}

/**
 * True if another job replaced this job’s key while this job was running. The other job does the work, and this job is
 * not retried.
 */
const isReplaced = async ({ db, job, lockedJob }: JobRun) =>
  job.key !== null && job.attempts < job.max_attempts && (await lockedJobs.isReplaced(db, lockedJob))

/** Records a failed attempt. After the last attempt, notifies the task. Returns the error. */
async function fail(run: JobRun, error: Error): Promise<Error> {
  const { job } = run
  const last = error instanceof Permanent || job.attempts >= job.max_attempts
  if (last) await failForGood(run, error)
  else await endAttempt(run, { outcome: 'retry', error: describe(error) })
  run.ending = last ? 'failed' : 'retried'
  run.cameToEnd = last
  run.context.history.failed({ run, error, final: last })
  return error
}

async function failForGood(run: JobRun, error: Error): Promise<void> {
  const { db, envelope, lockedJob } = run
  if (await giveUpNow(run, error)) {
    await endAttempt(run, { outcome: 'failed', error: describe(error), envelope })
    if (error instanceof Permanent) await lockedJobs.removeAttempts(db, lockedJob)
    return
  }
  // The run stays open until `queue/notify-dead` ends it. An open run cannot be retried.
  await db.transaction(async (tx) => {
    await giveUpLater(tx, run, error)
    await lockedJobs.removeAttempts(tx, lockedJob)
  })
}
