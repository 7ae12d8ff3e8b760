import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from 'graphile-worker'
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
import { log } from '#lib/log.ts'
import { isStorageUnavailable } from '#lib/storage/away.ts'
import { type Db, isDisconnected } from '#sql/db.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import type { RunningAttempt } from './attempt.ts'
import { giveUpLater, giveUpNow } from './give-up.ts'
import type { PoolContext } from './pool-context.ts'

/** Abort reason at shutdown: the job returns to the queue and does not fail. */
export class ShuttingDownError extends Error {
  override name = 'ShuttingDownError'
}

/**
 * Delay in milliseconds before a job is retried if its host has no space, database or storage. This does not count as
 * an attempt.
 */
const unfitMs = 5_000

/**
 * Ends a tracked attempt. Throws if another attempt owns the run. If Postgres is unavailable after the work is done, no
 * attempt is lost as long as this worker owns the job.
 */
export async function endAttempt(attempt: RunningAttempt, ending: runs.Ending): Promise<void> {
  if (!attempt.runId || !attempt.token) return
  const { runId, token } = attempt
  if (await retryUntilConnected(() => runs.end(attempt.db, runId, token, ending), { patience: config.LEASE_MS })) return
  throw new OwnershipLostError('another attempt runs this job')
}

const againMs = 500

/** Returns a job to the queue, with retries. Throws only if this worker no longer owns the job. */
export async function retryReturn(context: PoolContext, write: () => Promise<unknown>): Promise<void> {
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

/** Returns a job to the queue without counting an attempt, after an error outside of its task. */
export async function returnJob(context: PoolContext, attempt: RunningAttempt, job: Job, fault: Error): Promise<void> {
  const isLost = fault instanceof OwnershipLostError
  attempt.ending = isLost ? undefined : 'returned'
  attempt.log.warn({ err: describe(fault) }, 'a fault outside the task; the job is waiting')
  const { runId, token } = attempt
  await retryReturn(context, async () => {
    if (runId && token) await runs.end(context.db, runId, token, { outcome: 'later' })
    const delay = isLost ? 0 : unfitMs
    await queue.markLater(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay)
  })
}

/**
 * Converts an error of a task to an outcome. Returns undefined if the job has ended, or if it was marked `later` and
 * returns to the queue when it completes. Otherwise returns the error of the failed attempt, which is retried if
 * attempts remain. Rethrows errors from outside the task.
 */
export async function settle(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  thrown: Error,
): Promise<Error | undefined> {
  const error = attempt.reason ?? thrown
  if (error instanceof OwnershipLostError) throw error
  attempt.ending = 'returned'
  if (error instanceof ShuttingDownError) return await postpone(context, attempt, job, 'handed_back', 0)
  if (error instanceof Later) {
    attempt.cameToEnd = true
    if (queue.isUnfit(job.last_error)) await queue.clearUnfit(...ofJob(context, job))
    return await postpone(context, attempt, job, 'later', error.delay)
  }
  if (error instanceof Cancelled || error instanceof Rejected) {
    return await close(context, task, envelope, attempt, job, error)
  }
  const code = hostFault(error)
  if (code) return await waitForHost(context, task, envelope, attempt, job, error, code)
  if (attempt.runId && (await isReplaced(context, job))) {
    await endAttempt(attempt, { outcome: 'cancelled', error: 'another job replaced this job’s key' })
    return error
  }
  return await fail(context, task, envelope, attempt, job, error)
}

const ofJob = ({ db, pool, lockedBy }: PoolContext, job: Job) =>
  [db, poolSchema(pool), Number(job.id), lockedBy] as const

function hostFault(error: Error): HostFaultCode | undefined {
  if (lacksRoom(error)) return 'no_room'
  // Check storage first: a refused connection to storage has the same code as a refused connection to Postgres.
  if (isStorageUnavailable(error)) return 'storage_away'
  return isDisconnected(error) ? 'database_away' : undefined
}

/**
 * Returns a job to the queue to wait for a host that can run it. This does not count as an attempt. If the wait exceeds
 * the limit, the job fails.
 */
async function waitForHost(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  error: Error,
  code: HostFaultCode,
): Promise<Error | undefined> {
  const waited = queue.isUnfit(job.last_error) ? await queue.getUnfitMs(...ofJob(context, job)) : 0
  if (waited > context.hostFaultMs) return await fail(context, task, envelope, attempt, job, new HostFault(code, error))
  attempt.log.warn({ err: describe(error) }, 'this host cannot run the job; the job is waiting')
  await queue.markUnfit(...ofJob(context, job), describe(error))
  return await postpone(context, attempt, job, 'later', unfitMs)
}

/** Ends a job without a failure: it was cancelled, or its input can never be processed. */
async function close(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  error: Cancelled | Rejected,
): Promise<undefined> {
  const rejected = error instanceof Rejected
  attempt.cameToEnd = true
  if (rejected) attempt.ending = 'rejected'
  if (!(await giveUpNow(context, task, envelope, error)))
    await giveUpLater(context.db, context, task, envelope, job, error)
  const outcome = rejected ? 'rejected' : 'cancelled'
  await endAttempt(attempt, { outcome, error: rejected ? describe(error) : error.message, envelope })
}

/** Records a failed attempt. After the last attempt, notifies the task. Returns the error. */
async function fail(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  error: Error,
): Promise<Error> {
  const last = error instanceof Permanent || job.attempts >= job.max_attempts
  if (!last) await endAttempt(attempt, { outcome: 'retry', error: describe(error) })
  else if (await giveUpNow(context, task, envelope, error)) {
    await endAttempt(attempt, { outcome: 'failed', error: describe(error), envelope })
    if (error instanceof Permanent) await spendAttempts(context.db, context, job)
  } else {
    // The run stays open until `queue/notify-dead` ends it. An open run cannot be retried.
    await context.db.transaction(async (tx) => {
      await giveUpLater(tx, context, task, envelope, job, error)
      await spendAttempts(tx, context, job)
    })
  }
  attempt.ending = last ? 'failed' : 'retried'
  attempt.cameToEnd = last
  context.history.failed({
    pool: context.pool,
    worker: context.lockedBy,
    task,
    envelope,
    attempt,
    job,
    error,
    final: last,
  })
  return error
}

const spendAttempts = (db: Db, { pool, lockedBy }: PoolContext, job: Job) =>
  queue.removeAttempts(db, poolSchema(pool), Number(job.id), lockedBy)

/**
 * True if another job replaced this job’s key while this job was running. The other job does the work, and this job is
 * not retried.
 */
const isReplaced = async ({ db, pool, lockedBy }: PoolContext, job: Job) =>
  job.key !== null &&
  job.attempts < job.max_attempts &&
  (await queue.isReplaced(db, poolSchema(pool), Number(job.id), lockedBy))

/** True if an error or its cause shows that a disk of this host is full. */
function lacksRoom(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ('code' in e && (e.code === 'ENOSPC' || e.code === 'EDQUOT' || e.code === 'no_space')) return true
  }
  return false
}

async function postpone(
  context: PoolContext,
  attempt: RunningAttempt,
  job: Job,
  outcome: 'later' | 'handed_back',
  delay: number,
): Promise<undefined> {
  await endAttempt(attempt, { outcome })
  await retryReturn(context, () =>
    queue.markLater(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay),
  )
}
