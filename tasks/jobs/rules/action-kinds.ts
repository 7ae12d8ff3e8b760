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
import { noticeOf, noticesOf, withdraw } from './dead-notices.ts'

export type JobAction = 'retry' | 'cancel' | 'discard' | 'reschedule'

/** Jobs that are left as they are, by id, each with a sentence that says why. */
export type Refusals = Map<number, string>

/** Does one thing to jobs that the transaction has locked. */
export type ActionOnJobs = (tx: Db, queue: Queue, locked: readonly rows.LockedJob[], at: Date) => Promise<Refusals>

/** Why an action does nothing to a job in that state; states that are not named are those it is for. */
const unfit: Record<JobAction, Partial<Record<State, string>>> = {
  retry: {
    waiting: 'It waits already.',
    scheduled: 'It waits for its time already; reschedule it to have it run sooner.',
    paused: 'It waits already; its task is paused.',
    running: 'It runs.',
  },
  cancel: { failed: 'It has failed; retry it or discard it.' },
  discard: {
    waiting: 'It has not failed; cancel it instead.',
    scheduled: 'It has not failed; cancel it instead.',
    paused: 'It has not failed; cancel it instead.',
    running: 'It runs; cancel it instead.',
  },
  reschedule: { running: 'It runs.', failed: 'It has failed; retry it instead.' },
}

/** Why a job cannot be tried again yet. */
export const notNotified = 'Its task is being told that it failed; try again in a moment.'
const unkept = 'The record of its run is no longer kept, so it cannot run again.'

/** Those of the locked jobs that the action is for; why the others are not is noted. */
function fit(action: JobAction, locked: readonly rows.LockedJob[], refusals: Refusals): rows.LockedJob[] {
  return locked.filter((job) => {
    const why = unfit[action][job.state]
    if (why) refusals.set(job.id, why)
    return !why
  })
}

/** Failed jobs wait again with all their attempts; their tasks are notified, to bring their rows back. */
const retry: ActionOnJobs = async (tx, queue, locked, at) => {
  const refusals: Refusals = new Map()
  const retried: rows.LockedJob[] = []
  const jobs = fit('retry', locked, refusals)
  const notices = await noticesOf(tx, queue, jobs)
  for (const job of jobs) {
    const pending = notices.get(job.id) ?? []
    const why = obstacle(job, pending) ?? (await revive(tx, job.task, readEnvelope(job.envelope)))
    if (why) refusals.set(job.id, why)
    else retried.push(job)
  }
  await withdraw(
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
  if (job.run_state === 'done') return 'It is done.'
  return notices.some((notice) => notice.running) ? notNotified : undefined
}

/** Brings the rows of a given up job back; why that cannot be, if it cannot. */
export async function revive(tx: Db, taskName: string, envelope: Envelope): Promise<string | undefined> {
  const task = findTask(taskName)
  if (!task?.revive) return undefined
  const payload = task.payload.safeParse(envelope.payload)
  if (!payload.success) return `Its payload is not one of ${taskName}: ${payload.error.message}`
  try {
    // A savepoint: what a task did before it refused is undone.
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

/** Waiting jobs leave their queue and their tasks are notified; running ones get their signal if they are tracked. */
const cancel: ActionOnJobs = async (tx, queue, locked) => {
  const refusals: Refusals = new Map()
  const jobs = fit('cancel', locked, refusals)
  const waiting = jobs.filter(({ state }) => state !== 'running')
  for (const job of jobs.filter(({ state }) => state === 'running')) {
    if (job.run_id) await runs.requestCancel(tx, job.run_id)
    else refusals.set(job.id, 'It runs, and a running job can be cancelled only if its task is tracked.')
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

/** Failed jobs leave their queue for good; a run stays on record as discarded, and its task is notified if it was not yet. */
const discard: ActionOnJobs = async (tx, queue, locked) => {
  const refusals: Refusals = new Map()
  const jobs = fit('discard', locked, refusals)
  const notices = await noticesOf(tx, queue, jobs)
  const unnotified = jobs.filter((job) => isOpen(job) && notices.get(job.id)?.length === 0)
  await enqueueMany(
    tx,
    notifyDead,
    unnotified.map((job) => noticeOf(queue, { ...job, error: null })),
  )
  await rows.remove(
    tx,
    queue,
    jobs.map(({ id }) => id),
  )
  await rows.discardRuns(tx, jobs.flatMap(runAndEnvelope))
  return refusals
}

/** Waiting jobs are due at another time. */
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
