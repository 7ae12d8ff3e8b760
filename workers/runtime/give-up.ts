import type { Job } from 'graphile-worker'
import { Cancelled, describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { notifyDead } from '#tasks/jobs/bury.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { recordOf } from '#tasks/queue/error-record.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import type { PoolContext } from './pool-context.ts'

/** Tells a task that a job of it is given up. */
export async function giveUp(task: AnyTask, envelope: Envelope, error: Error, db: DatabasePool): Promise<void> {
  const payload = task.payload.safeParse(envelope.payload)
  if (payload.success) await task.giveUp?.(payload.data, error, { db, runId: envelope.run })
}

/** Whether a task could be told that a job of it is given up. */
export async function isTold(context: PoolContext, task: AnyTask, envelope: Envelope, error: Error): Promise<boolean> {
  try {
    await giveUp(task, envelope, error, context.db)
    return true
  } catch (fault) {
    log.warn({ task: task.name, err: describe(fault) }, 'a task could not be told that it failed; it is told again')
    return false
  }
}

/** Has a task told by a job of its own, which is tried until that is through. */
export async function tellLater(
  db: Db,
  { pool }: PoolContext,
  task: AnyTask,
  envelope: Envelope,
  job: Job,
  error: Error,
): Promise<void> {
  const why = error instanceof Cancelled ? 'cancelled' : 'failed'
  await enqueue(db, notifyDead, { task: task.name, envelope, job: `${pool}:${job.id}`, why, error: recordOf(error) })
}
