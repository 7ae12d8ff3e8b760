import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from 'graphile-worker'
import { config } from '#lib/config.ts'
import {
  Cancelled,
  describe,
  HostFault,
  type HostFaultCode,
  Later,
  OwnershipLost,
  Permanent,
  Rejected,
} from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { isStorageAway } from '#lib/storage/away.ts'
import { type Db, isDisconnected } from '#sql/db.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { onceConnected } from '#sql/once-connected.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import type { RunningAttempt } from './attempt.ts'
import { giveUpLater, giveUpNow } from './give-up.ts'
import type { PoolContext } from './pool-context.ts'

/** The reason of the signal when the process is about to end: the job is handed back, not failed. */
export class ShuttingDown extends Error {
  override name = 'ShuttingDown'
}

/** How long a job waits whose host has no room, database or storage: that is no fault of the job's, and costs it no attempt. */
const unfitMs = 5_000

/**
 * Ends a tracked attempt's turn at its run; throws when another attempt has the run. What was done while Postgres was away must not cost
 * an attempt, as long as the job is this worker's.
 */
export async function end(attempt: RunningAttempt, ending: runs.Ending): Promise<void> {
  if (!attempt.runId || !attempt.token) return
  const { runId, token } = attempt
  if (await onceConnected(() => runs.end(attempt.db, runId, token, ending), { patience: config.LEASE_MS })) return
  throw new OwnershipLost('another attempt runs this job')
}

/** Milliseconds between two tries to give a job back. */
const againMs = 500

/** Writes that a job goes back to the queue, as often as it takes; throws only once the job is not this worker's any more. */
export async function untilTaken(context: PoolContext, write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    if (!context.mayWork()) throw new OwnershipLost('no beat got through within the lease')
    try {
      await write()
      return
    } catch (error) {
      log.debug({ err: describe(error) }, 'a job could not be given back yet')
      await pause(againMs)
    }
  }
}

/** Hands a job back at no cost of an attempt after a fault that is not its task's: nothing else may end it. */
export async function handBack(context: PoolContext, attempt: RunningAttempt, job: Job, fault: Error): Promise<void> {
  const isLost = fault instanceof OwnershipLost
  attempt.ending = isLost ? undefined : 'returned'
  attempt.log.warn({ err: describe(fault) }, 'a fault around a job; it waits')
  const { runId, token } = attempt
  await untilTaken(context, async () => {
    if (runId && token) await runs.end(context.db, runId, token, { outcome: 'later' })
    const delay = isLost ? 0 : unfitMs
    await queue.markLater(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay)
  })
}

/**
 * Turns what a task threw into one of the outcomes. Undefined when the job is over, or was marked `later` and is handed back
 * as it completes; else the error that it is to fail with, with a retry if attempts are left. Throws faults around the task.
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
  if (error instanceof OwnershipLost) throw error
  attempt.ending = 'returned'
  if (error instanceof ShuttingDown) return await postpone(context, attempt, job, 'handed_back', 0)
  if (error instanceof Later) {
    attempt.cameToEnd = true
    if (queue.isUnfit(job.last_error)) await queue.forgetUnfit(...ofJob(context, job))
    return await postpone(context, attempt, job, 'later', error.delay)
  }
  if (error instanceof Cancelled || error instanceof Rejected) {
    return await close(context, task, envelope, attempt, job, error)
  }
  const code = hostFault(error)
  if (code) return await waitForHost(context, task, envelope, attempt, job, error, code)
  if (attempt.runId && (await isReplaced(context, job))) {
    await end(attempt, { outcome: 'cancelled', error: 'another job took its key' })
    return error
  }
  return await fail(context, task, envelope, attempt, job, error)
}

const ofJob = ({ db, pool, lockedBy }: PoolContext, job: Job) =>
  [db, poolSchema(pool), Number(job.id), lockedBy] as const

/** Why an error is its host's fault and not its task's, if it is. */
function hostFault(error: Error): HostFaultCode | undefined {
  if (lacksRoom(error)) return 'no_room'
  // Storage first: a connection that it refuses has the code of one that Postgres refuses.
  if (isStorageAway(error)) return 'storage_away'
  return isDisconnected(error) ? 'database_away' : undefined
}

/** Has a job wait for a host that can do it, at no cost of an attempt; after too long a time it is given up. */
async function waitForHost(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  error: Error,
  code: HostFaultCode,
): Promise<Error | undefined> {
  const waited = queue.isUnfit(job.last_error) ? await queue.unfitFor(...ofJob(context, job)) : 0
  if (waited > context.hostFaultMs) return await fail(context, task, envelope, attempt, job, new HostFault(code, error))
  attempt.log.warn({ err: describe(error) }, 'this host cannot do the job now; it waits')
  await queue.noteUnfit(...ofJob(context, job), describe(error))
  return await postpone(context, attempt, job, 'later', unfitMs)
}

/** Writes that a job is over without a failure: somebody cancelled it, or what a customer gave it can never work. */
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
  await end(attempt, { outcome, error: rejected ? describe(error) : error.message, envelope })
}

/** Writes that an attempt has failed, and notifies its task when it was the last; returns the error. */
async function fail(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  error: Error,
): Promise<Error> {
  const last = error instanceof Permanent || job.attempts >= job.max_attempts
  if (!last) await end(attempt, { outcome: 'retry', error: describe(error) })
  else if (await giveUpNow(context, task, envelope, error)) {
    await end(attempt, { outcome: 'failed', error: describe(error), envelope })
    if (error instanceof Permanent) await spendAttempts(context.db, context, job)
  } else {
    // Its run is left open, which `queue/notify-dead` ends: till then it cannot be tried again.
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
  queue.spendAttempts(db, poolSchema(pool), Number(job.id), lockedBy)

/** Whether another job took the key of this one while it ran: that one does the work, and this one is not tried again. */
const isReplaced = async ({ db, pool, lockedBy }: PoolContext, job: Job) =>
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
  context: PoolContext,
  attempt: RunningAttempt,
  job: Job,
  outcome: 'later' | 'handed_back',
  delay: number,
): Promise<undefined> {
  await end(attempt, { outcome })
  await untilTaken(context, () =>
    queue.markLater(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay),
  )
}
