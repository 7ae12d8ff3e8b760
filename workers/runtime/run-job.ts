import { Cancelled, OwnershipLostError, Permanent } from '#lib/errors.ts'
import { type LogContext, withLogContext } from '#lib/log.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { isDataFault } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { JobRun } from './job-run.ts'
import { findReturn, putBack, returnAfterFault } from './return-job.ts'
import { endAttempt, settle } from './settle.ts'
import { endSuspect, isSuspect, startSuspect } from './suspect.ts'
import { traceJob } from './traced.ts'

/** Runs a fetched job when its organisation has a free slot, or returns it to the queue if it cannot run now. */
export function runJob(run: JobRun): Promise<void> {
  checkOwned(run, 'it was fetched before the event loop stalled')
  const giveBack = findReturn(run)
  if (giveBack) return giveBack(run)
  return run.context.shares ? waitForSlot(run) : execute(run)
}

function checkOwned({ context, job }: JobRun, why: string): void {
  if (context.isStale(job)) throw new OwnershipLostError(why)
}

async function waitForSlot(run: JobRun): Promise<void> {
  const { job, task, envelope, context } = run
  const arrival = { id: Number(job.id), priority: job.priority, task: task.name, org: envelope.org }
  const turn = await context.shares?.enter(arrival)
  if (typeof turn === 'number') return await putBack(run, turn)
  try {
    checkOwned(run, 'the event loop stalled while it waited for its turn')
    const giveBack = findReturn(run)
    await (giveBack ? giveBack(run) : execute(run))
  } finally {
    turn?.end()
  }
}

function execute(run: JobRun): Promise<void> {
  const fields: LogContext = { job_id: run.job.id, task: run.task.name }
  if (run.envelope.request_id) fields.request_id = run.envelope.request_id
  return withLogContext(fields, () => traceJob(run, () => attempt(run)))
}

/**
 * Attempts a job once. Throws the error of its task, which counts as an attempt. After an error outside of the task,
 * the job returns to the queue.
 */
async function attempt(run: JobRun): Promise<void> {
  run.start()
  try {
    let failure: Error | undefined
    try {
      failure = await attend(run)
    } catch (fault) {
      await returnAfterFault(run, fault as Error)
    }
    if (failure) throw storable(failure)
  } finally {
    run.close()
  }
}

/** Returns an error that the queue can store. One statement stores the errors of many jobs. */
function storable(failure: Error): Error {
  const message = toStorableText(failure.message)
  return message === failure.message ? failure : new Error(message, { cause: failure })
}

async function attend(run: JobRun): Promise<Error | undefined> {
  const suspect = isSuspect(run.job)
  if (suspect) await startSuspect(run)
  if (run.task.tracked && run.runId && !(await claim(run, run.runId))) return undefined
  const failure = await work(run)
  return suspect ? await endSuspect(run, failure) : failure
}

/** Claims the run for this attempt. Returns false if the run has already ended or another worker owns the job. */
async function claim(run: JobRun, runId: string): Promise<boolean> {
  const begun = await runs.begin(run.db, runId, run.token as string, run.lockedJob)
  run.owned = begun !== null
  if (begun?.cancelled) run.abort(new Cancelled('cancelled'))
  return run.owned
}

/** Calls the task. Returns the error of the failed attempt, or undefined. */
async function work(run: JobRun): Promise<Error | undefined> {
  let answer: unknown
  try {
    answer = await run.outcome(callTask(run))
  } catch (error) {
    return await settle(run, error as Error)
  }
  const rejection = run.task.tracked ? await storeResult(run, answer) : undefined
  if (rejection) return await settle(run, rejection)
  run.ending = 'done'
  run.cameToEnd = true
  return undefined
}

function callTask(run: JobRun): Promise<unknown> {
  const { task, envelope, reason, runId } = run
  if (reason) throw reason
  if (task.tracked && !runId) throw new Permanent('A tracked task was enqueued without a run.')
  const payload = task.payload.safeParse(envelope.payload)
  if (!payload.success) throw new Permanent(`The payload does not match the task’s schema: ${payload.error.message}`)
  return task.run(payload.data, run)
}

/** Stores the result of a tracked task. If Postgres rejects it, returns the rejection as the error of the task. */
async function storeResult(run: JobRun, answer: unknown): Promise<Error | undefined> {
  try {
    await endAttempt(run, { outcome: 'done', result: answer ?? null })
    return undefined
  } catch (error) {
    if (isDataFault(error)) return error as Error
    throw error
  }
}
