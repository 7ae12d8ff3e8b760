import { Cancelled, describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { toErrorRecord } from '#tasks/queue/error-record.ts'
import { notifyDead } from '#tasks/queue/notify-dead.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import type { JobRun } from './job-run.ts'

export async function giveUp(task: AnyTask, envelope: Envelope, error: Error, db: DatabasePool): Promise<void> {
  const payload = task.payload.safeParse(envelope.payload)
  if (payload.success) await task.giveUp?.(payload.data, error, { db, runId: envelope.run })
}

export async function giveUpNow({ task, envelope, db }: JobRun, error: Error): Promise<boolean> {
  try {
    await giveUp(task, envelope, error, db)
    return true
  } catch (fault) {
    log.warn(
      { task: task.name, err: describe(fault) },
      'a task could not be notified of its failed job; this will be retried',
    )
    return false
  }
}

/** Notifies a task with a separate job. This job is retried until it succeeds. */
export async function giveUpLater(db: Db, { context, task, envelope, job }: JobRun, error: Error): Promise<void> {
  const why = error instanceof Cancelled ? 'cancelled' : 'failed'
  await enqueue(db, notifyDead, {
    task: task.name,
    envelope,
    job: `${context.pool}:${job.id}`,
    why,
    error: toErrorRecord(error),
  })
}
