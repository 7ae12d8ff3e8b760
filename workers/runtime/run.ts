import type { Job, JobHelpers, TaskList } from 'graphile-worker'
import { Cancelled, describe, OwnershipLostError, Permanent } from '#lib/errors.ts'
import { type LogContext, withLogContext } from '#lib/log.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { tracing } from '#lib/telemetry/tracing.ts'
import { isDataFault } from '#sql/db.ts'
import { parkedAt } from '#sql/jobs/parking.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import { RunningAttempt } from './attempt.ts'
import type { PoolContext } from './pool-context.ts'
import { endAttempt, retryReturn, returnJob, settle } from './settle.ts'
import type { SlotShares } from './slot-shares.ts'
import type { TaskStatistics } from './statistics.ts'
import { isSuspect, keepSuspectMark } from './suspect.ts'
import { traceJob } from './traced.ts'

export function taskList(tasks: AnyTask[], context: PoolContext): TaskList {
  // The pool’s tools are set once on the class instead of on each attempt. This code runs 30,000 times per second.
  class LentAttempt extends RunningAttempt {}
  Object.assign(LentAttempt.prototype, context.tools)
  const tracer = tracing()
  return Object.fromEntries(
    tasks.map((task) => {
      const statistics = context.history.statistics(context.pool, task.name)
      const work = (column: unknown, { job }: JobHelpers) => {
        if (context.isStale(job)) throw new OwnershipLostError('it was fetched before the event loop stalled')
        const envelope = unwrap(column)
        const back = wayBack(context, task, envelope)
        if (back) return back(context, job)
        return context.shares ? inTurn(context, context.shares, task, envelope, job, begin) : begin(envelope, job)
      }
      const begin = (envelope: Envelope, job: Job) => {
        const attempt = new LentAttempt(context.db, job.attempts, task.timeout, envelope.run)
        const fields: LogContext = { job_id: job.id, task: task.name }
        if (envelope.request_id) fields.request_id = envelope.request_id
        const run = () => runJob(context, task, envelope, attempt, job, statistics)
        return withLogContext(fields, tracer ? () => traceJob(tracer, task, envelope, attempt, job, run) : run)
      }
      return [task.name, work]
    }),
  )
}

/**
 * Reads the envelope without a schema. Only `enqueue` and the clock write it, and this code runs 30,000 times per
 * second.
 */
function unwrap(column: unknown): Envelope {
  const envelope = column as Envelope & { _cron?: unknown }
  return envelope._cron ? { payload: {} } : envelope
}

/** Runs a job when its organisation has a free slot, or returns it to the queue. */
async function inTurn(
  context: PoolContext,
  shares: SlotShares,
  task: AnyTask,
  envelope: Envelope,
  job: Job,
  begin: (envelope: Envelope, job: Job) => Promise<void>,
): Promise<void> {
  const { id, priority } = job
  const turn = await shares.enter({ id: Number(id), priority, task: task.name, org: envelope.org })
  if (typeof turn === 'number') return await putBack(context, job, turn)
  try {
    if (context.isStale(job)) throw new OwnershipLostError('the event loop stalled while it waited for its turn')
    const back = wayBack(context, task, envelope)
    await (back ? back(context, job) : begin(envelope, job))
  } finally {
    turn.end()
  }
}

async function putBack(context: PoolContext, job: Job, delay: number): Promise<void> {
  await retryReturn(context, () =>
    queue.putBack(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay),
  )
}

/** Returns how a job goes back to the queue if it cannot run now, or undefined if it can run. */
function wayBack({ gate }: PoolContext, task: AnyTask, { org }: Envelope): typeof returnUnrun | undefined {
  if (gate.shut || gate.paused.has(task.name)) return returnUnrun
  if (org === undefined) return undefined
  if (gate.moving.has(org)) return (context, job) => holdFor(context, job, movingMs)
  return gate.closing.has(org) ? (context, job) => holdBack(context, job, org) : undefined
}

/**
 * Returns a job that was fetched before the worker knew of its pause or drain. If the task is paused, the job is
 * parked. Otherwise it is unchanged.
 */
async function returnUnrun(context: PoolContext, job: Job): Promise<void> {
  const at = context.gate.shut ? job.run_at : parkedAt(job.run_at)
  await retryReturn(context, () =>
    queue.markReturn(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, at),
  )
}

/** Minimum and maximum interval in milliseconds between checks of whether a job’s organisation is still closing. */
const [leastHoldMs, mostHoldMs] = [10 * 60_000, 6 * 3_600_000]

/**
 * Returns a job of an organisation that is being closed. The job waits until the closure is cancelled or the job is
 * deleted with the organisation. The delay until the next check is as long as the organisation has been closing, so
 * that each job needs few checks.
 */
async function holdBack(context: PoolContext, job: Job, org: string): Promise<void> {
  const since = context.gate.closing.get(org) ?? 0
  await holdFor(context, job, Math.min(mostHoldMs, Math.max(leastHoldMs, since)))
}

/** Interval in milliseconds between checks of a job whose organisation is being moved. A move takes seconds. */
const movingMs = 15_000

async function holdFor(context: PoolContext, job: Job, delay: number): Promise<void> {
  await retryReturn(context, () =>
    queue.markLater(context.db, poolSchema(context.pool), Number(job.id), context.lockedBy, delay),
  )
}

/**
 * Runs a job. Throws the error of its task, which counts as an attempt. After an error outside of the task, the job
 * returns to the queue.
 */
async function runJob(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  statistics: TaskStatistics,
): Promise<void> {
  context.running.add(attempt)
  context.turns.began(job, envelope.org)
  try {
    let failure: Error | undefined
    try {
      failure = await attend(context, task, envelope, attempt, job)
    } catch (fault) {
      await returnJob(context, attempt, job, fault as Error)
    }
    if (failure) throw storable(failure)
  } finally {
    attempt.close()
    context.running.delete(attempt)
    if (attempt.ending) statistics.note(attempt.ending, job.run_at.getTime(), attempt.begun)
  }
}

/** Returns an error that the queue can store. One statement stores the errors of many jobs. */
function storable(failure: Error): Error {
  const message = toStorableText(failure.message)
  return message === failure.message ? failure : new Error(message, { cause: failure })
}

async function attend(
  context: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
): Promise<Error | undefined> {
  const suspect = isSuspect(job)
  if (suspect) await workers.startSuspect(context.db, context.pool, Number(job.id), context.lockedBy)
  if (task.tracked && attempt.runId && !(await begin(context, attempt, job))) return undefined
  let failure: Error | undefined
  let answer: unknown
  let thrown: Error | undefined
  try {
    answer = await attempt.outcome(perform(task, envelope, attempt))
  } catch (error) {
    thrown = error as Error
  }
  if (!thrown && task.tracked) thrown = await record(attempt, answer)
  if (!thrown) {
    attempt.ending = 'done'
    attempt.cameToEnd = true
  } else failure = await settle(context, task, envelope, attempt, job, thrown)
  if (!suspect) return failure
  // The mark stays until the job ends without killing its worker.
  if (failure && attempt.ending === 'retried') return keepSuspectMark(failure)
  if (attempt.cameToEnd) {
    await workers
      .clearSuspect(context.db, context.pool, Number(job.id))
      .catch((error) => attempt.log.debug({ err: describe(error) }, 'a crash could not be cleared; retrying'))
  }
  return failure
}

function perform(task: AnyTask, envelope: Envelope, attempt: RunningAttempt): Promise<unknown> {
  if (attempt.reason) throw attempt.reason
  if (task.tracked && !attempt.runId) throw new Permanent('A tracked task was enqueued without a run.')
  const payload = task.payload.safeParse(envelope.payload)
  if (!payload.success) throw new Permanent(`The payload does not match the task’s schema: ${payload.error.message}`)
  return task.run(payload.data, attempt)
}

/** Stores the result of a run. If Postgres rejects the result, returns the rejection as the error of the task. */
async function record(attempt: RunningAttempt, answer: unknown): Promise<Error | undefined> {
  try {
    await endAttempt(attempt, { outcome: 'done', result: answer ?? null })
    return undefined
  } catch (error) {
    if (isDataFault(error)) return error as Error
    throw error
  }
}

/** Claims the run for this attempt. Returns false if the run has already ended or another worker owns the job. */
async function begin(context: PoolContext, attempt: RunningAttempt, job: Job): Promise<boolean> {
  const fetched = { queue: poolSchema(context.pool), jobId: Number(job.id), worker: context.lockedBy }
  const begun = await runs.begin(context.db, attempt.runId as string, attempt.token as string, fetched)
  attempt.owned = begun !== null
  if (begun?.cancelled) attempt.abort(new Cancelled('cancelled'))
  return begun !== null
}
