import type { Job, JobHelpers, TaskList } from 'graphile-worker'
import { Cancelled, describe, Later, OwnershipLost, Permanent } from '#lib/errors.ts'
import { type LogContext, withLogContext } from '#lib/log.ts'
import { isStorageAway } from '#lib/storage-away.ts'
import { tracing } from '#lib/tracing.ts'
import { type DatabasePool, isDisconnected } from '#sql/db.ts'
import { parkedAt } from '#sql/jobs/parking.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { type PoolName, poolSchema, type Tools } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/task.ts'
import { RunningAttempt } from './attempt.ts'
import type { History } from './history.ts'
import { onceConnected } from './once-connected.ts'
import type { Gate } from './orders.ts'
import type { Tally } from './tally.ts'
import { traced } from './traced.ts'
import type { Turns } from './turns.ts'

/** The reason of the signal when the process is about to end: the job is handed back, not failed. */
export class ShuttingDown extends Error {
  override name = 'ShuttingDown'
}

/** What one pool's worker runs its jobs with. */
export interface Bench<P extends PoolName = PoolName> {
  pool: P
  db: DatabasePool
  tools: Tools[P]
  /** The name under which jobs are locked. */
  lockedBy: string
  /** What operators have ordered. */
  gate: Gate
  /** The attempts under way. */
  running: Set<RunningAttempt>
  turns: Turns
  history: History
}

/** What a released job's last error says when its worker died over it (jobs.release). */
const suspectMark = 'worker lost'

/** How long a job waits whose host has no room, database or storage: that is no fault of the job's, and costs it no attempt. */
const unfitMs = 5_000

/** The tasks of a pool in the form the queue calls them. */
export function taskList(tasks: AnyTask[], bench: Bench): TaskList {
  // The pool's tools are the class's, once, rather than each attempt's: this is the path that runs 30,000 times a second.
  class LentAttempt extends RunningAttempt {}
  Object.assign(LentAttempt.prototype, bench.tools)
  const tracer = tracing()
  return Object.fromEntries(
    tasks.map((task) => {
      const tally = bench.history.tally(bench.pool, task.name)
      const work = (column: unknown, { job }: JobHelpers) => {
        if (bench.gate.shut || bench.gate.paused.has(task.name)) return returnUnrun(bench, job)
        const envelope = unwrap(column)
        const attempt = new LentAttempt(bench.db, job.attempts, task.timeout, envelope.run)
        const fields: LogContext = { job_id: job.id, task: task.name }
        if (envelope.request_id) fields.request_id = envelope.request_id
        const run = () => runJob(bench, task, envelope, attempt, job, tally)
        return withLogContext(fields, tracer ? () => traced(tracer, task, envelope, attempt, job, run) : run)
      }
      return [task.name, work]
    }),
  )
}

/** The envelope, read without a schema: only `enqueue` and the clock write it, and this runs 30,000 times a second. */
function unwrap(column: unknown): Envelope {
  const envelope = column as Envelope & { _cron?: unknown }
  return envelope._cron ? { payload: {} } : envelope
}

/** Returns a job that was fetched before an order was known: of a paused task to where those wait, else as it was. */
async function returnUnrun(bench: Bench, job: Job): Promise<void> {
  const at = bench.gate.shut ? job.run_at : parkedAt(job.run_at)
  await queue.markReturn(bench.db, poolSchema(bench.pool), Number(job.id), bench.lockedBy, at)
}

async function runJob(
  bench: Bench,
  task: AnyTask,
  envelope: Envelope,
  attempt: RunningAttempt,
  job: Job,
  tally: Tally,
): Promise<void> {
  bench.running.add(attempt)
  bench.turns.began(job, envelope.org)
  try {
    const suspect = job.last_error === suspectMark
    if (suspect) await workers.startSuspect(bench.db, bench.pool, Number(job.id), bench.lockedBy)
    if (task.tracked && !(await begin(bench, attempt))) return
    try {
      const answer = await attempt.outcome(perform(task, envelope, attempt))
      if (task.tracked) await end(attempt, { outcome: 'done', result: answer ?? null })
      attempt.ending = 'done'
    } catch (error) {
      await settle(bench, task, envelope, attempt, job, error as Error)
    }
    if (suspect) await workers.clearSuspect(bench.db, bench.pool, Number(job.id))
  } finally {
    attempt.close()
    bench.running.delete(attempt)
    if (attempt.ending) tally.note(attempt.ending, job.run_at.getTime(), attempt.begun)
  }
}

function perform(task: AnyTask, envelope: Envelope, attempt: RunningAttempt): Promise<unknown> {
  if (attempt.reason) throw attempt.reason
  const payload = task.payload.safeParse(envelope.payload)
  if (!payload.success) throw new Permanent(`The payload is not the task's: ${payload.error.message}`)
  return task.run(payload.data, attempt)
}

/** Claims the run for this attempt; false when it has ended already. */
async function begin(bench: Bench, attempt: RunningAttempt): Promise<boolean> {
  if (!attempt.runId || !attempt.token) throw new Permanent('A tracked task was enqueued without a run.')
  const begun = await runs.begin(bench.db, attempt.runId, attempt.token, bench.lockedBy)
  attempt.owned = begun !== null
  if (begun?.cancelled) attempt.abort(new Cancelled('cancelled'))
  return begun !== null
}

async function end(attempt: RunningAttempt, ending: runs.Ending): Promise<void> {
  if (!attempt.runId || !attempt.token) return
  const { runId, token } = attempt
  if (await onceConnected(() => runs.end(attempt.db, runId, token, ending))) return
  throw new OwnershipLost('another attempt runs this job')
}

/**
 * Turns what a task threw into one of the outcomes. Returning completes the job (or hands it back, when it was marked
 * `later`); throwing fails it, with a retry if attempts are left.
 */
async function settle(
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
