import { Permanent } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as mend from '#sql/jobs/actions.ts'
import type { State } from '#sql/jobs/filter.ts'
import type { Queue } from '#sql/jobs/graphile-schema.ts'
import type { Burial } from '#sql/jobs/orphans.ts'
import * as runs from '#sql/jobs/runs.ts'
import { findTask } from '../index.ts'
import { enqueue, enqueueMany } from '../queue/enqueue.ts'
import { type AnyTask, type Envelope, readEnvelope } from '../queue/task.ts'
import { burialOf, burialsOf, unbury } from './burials.ts'
import { bury } from './bury.ts'

/** What operators do to jobs. */
export type Kind = 'retry' | 'cancel' | 'discard' | 'reschedule'

/** Jobs that are left as they are, by id, each with a sentence that says why. */
export type Refusals = Map<number, string>

/** Does one thing to jobs that the transaction holds. */
export type Mending = (tx: Db, queue: Queue, held: readonly mend.Held[], at: Date) => Promise<Refusals>

/** Why an action does nothing to a job in that state; states that are not named are those it is for. */
const unfit: Record<Kind, Partial<Record<State, string>>> = {
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
export const givingUp = 'Its task is being told that it failed; try again in a moment.'
const unkept = 'The record of its run is no longer kept, so it cannot run again.'

/** Those of the held jobs that the action is for; why the others are not is noted. */
function fit(kind: Kind, held: readonly mend.Held[], refusals: Refusals): mend.Held[] {
  return held.filter((job) => {
    const why = unfit[kind][job.state]
    if (why) refusals.set(job.id, why)
    return !why
  })
}

/** Failed jobs wait again with all their attempts; their tasks are told, to bring their rows back. */
const retry: Mending = async (tx, queue, held, at) => {
  const refusals: Refusals = new Map()
  const retried: mend.Held[] = []
  const jobs = fit('retry', held, refusals)
  const burials = await burialsOf(tx, queue, jobs)
  for (const job of jobs) {
    const telling = burials.get(job.id) ?? []
    const why = obstacle(job, telling) ?? (await revive(tx, job.task, readEnvelope(job.envelope)))
    if (why) refusals.set(job.id, why)
    else retried.push(job)
  }
  await unbury(
    tx,
    retried.flatMap(({ id }) => burials.get(id) ?? []),
  )
  const attempts = retried.map(({ id, task }) => ({ id, attempts: findTask(task)?.attempts ?? 1 }))
  await mend.retry(tx, queue, attempts, at)
  await mend.reopenRuns(
    tx,
    retried.flatMap(({ run_id }) => run_id ?? []),
  )
  await mend.wake(tx, queue, retried.length)
  return refusals
}

function obstacle(job: mend.Held, burials: readonly Burial[]): string | undefined {
  const { run } = readEnvelope(job.envelope)
  if (run && !job.run_id) return unkept
  if (job.run_state === 'done') return 'It is done.'
  return burials.some((burial) => burial.held) ? givingUp : undefined
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

/** Waiting jobs leave their queue and their tasks are told; running ones get their signal if they are tracked. */
const cancel: Mending = async (tx, queue, held) => {
  const refusals: Refusals = new Map()
  const jobs = fit('cancel', held, refusals)
  const waiting = jobs.filter(({ state }) => state !== 'running')
  for (const job of jobs.filter(({ state }) => state === 'running')) {
    if (job.run_id) await runs.requestCancel(tx, job.run_id)
    else refusals.set(job.id, 'It runs, and a running job can be cancelled only if its task is tracked.')
  }
  await mend.remove(
    tx,
    queue,
    waiting.map(({ id }) => id),
  )
  await mend.cancelRuns(tx, waiting.flatMap(runAndEnvelope))
  const told = waiting.filter(({ task: name }) => {
    const task = findTask(name)
    return !task || task.giveUp
  })
  await enqueueMany(
    tx,
    bury,
    told.map(({ task, envelope }) => ({ task, envelope: readEnvelope(envelope), why: 'cancelled' as const })),
  )
  return refusals
}

/** Failed jobs leave their queue for good; a run stays on record as discarded, and its task is told if it was not yet. */
const discard: Mending = async (tx, queue, held) => {
  const refusals: Refusals = new Map()
  const jobs = fit('discard', held, refusals)
  const burials = await burialsOf(tx, queue, jobs)
  const untold = jobs.filter((job) => isOpen(job) && burials.get(job.id)?.length === 0)
  await enqueueMany(
    tx,
    bury,
    untold.map((job) => burialOf(queue, { ...job, error: null })),
  )
  await mend.remove(
    tx,
    queue,
    jobs.map(({ id }) => id),
  )
  await mend.discardRuns(tx, jobs.flatMap(runAndEnvelope))
  return refusals
}

/** Waiting jobs are due at another time. */
const reschedule: Mending = async (tx, queue, held, at) => {
  const refusals: Refusals = new Map()
  const ids = fit('reschedule', held, refusals).map(({ id }) => id)
  await mend.reschedule(tx, queue, ids, at)
  if (at.getTime() <= Date.now()) await mend.wake(tx, queue, ids.length)
  return refusals
}

const isOpen = ({ run_state }: mend.Held) => run_state === 'waiting' || run_state === 'running'

const runAndEnvelope = ({ run_id, envelope }: mend.Held) => (run_id ? [{ id: run_id, envelope }] : [])

/** What each action does. */
export const mendings: Record<Kind, Mending> = { retry, cancel, discard, reschedule }
