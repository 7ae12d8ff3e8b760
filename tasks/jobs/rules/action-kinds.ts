import { Permanent } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/jobs/actions.ts'
import type { State } from '#sql/jobs/filter.ts'
import type { Queue } from '#sql/jobs/graphile-schema.ts'
import type { DeadNotice } from '#sql/jobs/orphans.ts'
import * as runs from '#sql/jobs/runs.ts'
import { findTask } from '../../index.ts'
import { enqueue, enqueueMany } from '../../queue/enqueue.ts'
import { notifyDead } from '../../queue/notify-dead.ts'
import { type AnyTask, type Envelope, readEnvelope } from '../../queue/task.ts'
import { createNotice, lockNoticesOfJobs, removeNotices } from './dead-notices.ts'

export type JobAction = 'retry' | 'cancel' | 'discard' | 'reschedule'

export type Refusals = Map<number, string>

export type ActionOnJobs = (tx: Db, queue: Queue, locked: readonly rows.LockedJob[], at: Date) => Promise<Refusals>

/** Reasons why an action does not apply to a state. If a state has no reason, the action applies. */
const unfit: Record<JobAction, Partial<Record<State, string>>> = {
  retry: {
    waiting: 'The job is already waiting.',
    scheduled: 'The job is already scheduled. Reschedule it to run it sooner.',
    paused: 'The job is already waiting. Its task is paused.',
    running: 'The job is running.',
  },
  cancel: { failed: 'The job has failed. Retry or discard it.' },
  discard: {
    waiting: 'The job has not failed. Cancel it instead.',
    scheduled: 'The job has not failed. Cancel it instead.',
    paused: 'The job has not failed. Cancel it instead.',
    running: 'The job is running. Cancel it instead.',
  },
  reschedule: { running: 'The job is running.', failed: 'The job has failed. Retry it instead.' },
}

export const notNotified = 'The task is being notified of the failure. Try again in a moment.'
const unkept = 'The run’s record has been deleted, so the job cannot run again.'

/** Returns the locked jobs to which the action applies. Adds the reasons for the other jobs to `refusals`. */
function fit(action: JobAction, locked: readonly rows.LockedJob[], refusals: Refusals): rows.LockedJob[] {
  return locked.filter((job) => {
    const why = unfit[action][job.state]
    if (why) refusals.set(job.id, why)
    return !why
  })
}

/** Makes failed jobs wait again with all their attempts. Notifies their tasks, which restore their rows. */
const retry: ActionOnJobs = async (tx, queue, locked, at) => {
  const refusals: Refusals = new Map()
  const retried: rows.LockedJob[] = []
  const jobs = fit('retry', locked, refusals)
  const notices = await lockNoticesOfJobs(tx, queue, jobs)
  for (const job of jobs) {
    const pending = notices.get(job.id) ?? []
    const why = obstacle(job, pending) ?? (await revive(tx, job.task, readEnvelope(job.envelope)))
    if (why) refusals.set(job.id, why)
    else retried.push(job)
  }
  await removeNotices(
    tx,
    retried.flatMap(({ id }) => notices.get(id) ?? []),
  )
  const attempts = retried.map(({ id, task }) => ({ id, attempts: findTask(task)?.attempts ?? 1 }))
  await rows.retry(tx, queue, attempts, at)
  await rows.reopenRuns(
    tx,
    retried.flatMap(({ run_id }) => run_id ?? []),
  )
  await rows.wake(tx, queue, retried.length)
  return refusals
}

function obstacle(job: rows.LockedJob, notices: readonly DeadNotice[]): string | undefined {
  const { run } = readEnvelope(job.envelope)
  if (run && !job.run_id) return unkept
  if (job.run_state === 'done') return 'The job is done.'
  return notices.some((notice) => notice.running) ? notNotified : undefined
}

/** Restores the rows of a failed job. Returns the reason if that is not possible. */
export async function revive(tx: Db, taskName: string, envelope: Envelope): Promise<string | undefined> {
  const task = findTask(taskName)
  if (!task?.revive) return undefined
  const payload = task.payload.safeParse(envelope.payload)
  if (!payload.success) return `The payload does not match the schema of ${taskName}: ${payload.error.message}`
  try {
    // Uses a savepoint. If the task rejects the retry, its changes are undone.
    const { revive: bringBack } = task
    await tx.transaction((db) =>
      bringBack(payload.data, {
        db,
        async enqueue(name, earlier, about) {
          await enqueue(db, findTask(name) as AnyTask, earlier, about)
        },
      }),
    )
    return undefined
  } catch (error) {
    if (error instanceof Permanent) return error.message
    throw error
  }
}

/**
 * Removes waiting jobs from their queue and notifies their tasks. Running jobs get an abort signal if they are tracked.
 */
const cancel: ActionOnJobs = async (tx, queue, locked) => {
  const refusals: Refusals = new Map()
  const jobs = fit('cancel', locked, refusals)
  const waiting = jobs.filter(({ state }) => state !== 'running')
  for (const job of jobs.filter(({ state }) => state === 'running')) {
    if (job.run_id) await runs.requestCancel(tx, job.run_id)
    else refusals.set(job.id, 'The job is running. Running jobs can be cancelled only if their task is tracked.')
  }
  await rows.remove(
    tx,
    queue,
    waiting.map(({ id }) => id),
  )
  await rows.cancelRuns(tx, waiting.flatMap(runAndEnvelope))
  const notified = waiting.filter(({ task: name }) => {
    const task = findTask(name)
    return !task || task.giveUp
  })
  await enqueueMany(
    tx,
    notifyDead,
    notified.map(({ task, envelope }) => ({ task, envelope: readEnvelope(envelope), why: 'cancelled' as const })),
  )
  return refusals
}

/**
 * Removes failed jobs permanently from their queue. The run of a job stays on record as discarded. The task is notified
 * unless it was notified before.
 */
const discard: ActionOnJobs = async (tx, queue, locked) => {
  const refusals: Refusals = new Map()
  const jobs = fit('discard', locked, refusals)
  const notices = await lockNoticesOfJobs(tx, queue, jobs)
  const unnotified = jobs.filter((job) => isOpen(job) && notices.get(job.id)?.length === 0)
  await enqueueMany(
    tx,
    notifyDead,
    unnotified.map((job) => createNotice(queue, { ...job, error: null })),
  )
  await rows.remove(
    tx,
    queue,
    jobs.map(({ id }) => id),
  )
  await rows.discardRuns(tx, jobs.flatMap(runAndEnvelope))
  return refusals
}

const reschedule: ActionOnJobs = async (tx, queue, locked, at) => {
  const refusals: Refusals = new Map()
  const ids = fit('reschedule', locked, refusals).map(({ id }) => id)
  await rows.reschedule(tx, queue, ids, at)
  if (at.getTime() <= Date.now()) await rows.wake(tx, queue, ids.length)
  return refusals
}

const isOpen = ({ run_state }: rows.LockedJob) => run_state === 'waiting' || run_state === 'running'

const runAndEnvelope = ({ run_id, envelope }: rows.LockedJob) => (run_id ? [{ id: run_id, envelope }] : [])

export const jobActions: Record<JobAction, ActionOnJobs> = { retry, cancel, discard, reschedule }
