import { z } from 'zod'
import { Cancelled, describe, Permanent } from '#lib/errors.ts'
import * as runs from '#sql/jobs/runs.ts'
import { ErrorRecord, fromErrorRecord } from './error-record.ts'
import { Envelope, task } from './task.ts'

const sentences = {
  crashed: 'Its worker died 3 times or more while running the job.',
  cancelled: 'The job was cancelled before it ran.',
  failed: 'The job has no attempts left.',
}

/**
 * Notifies a task of a job that failed without its worker. The job killed its worker three times, was cancelled while
 * it waited, or failed when its task could not be notified. `jobs.release` adds the job under this name.
 */
export const notifyDead = task({
  name: 'queue/notify-dead',
  pool: 'core',
  payload: z.object({
    task: z.string(),
    envelope: Envelope,
    job: z.string().optional(),
    why: z.enum(['crashed', 'cancelled', 'failed']).default('crashed'),
    error: ErrorRecord.optional(),
  }),
  attempts: 25,
  async run({ task: name, envelope, why, error: record }, { db, log, giveUp }) {
    log.warn({ dead_task: name, run: envelope.run }, `a job of ${name} has ended: ${sentences[why]}`)
    const error = record ? fromErrorRecord(record) : new (why === 'cancelled' ? Cancelled : Permanent)(sentences[why])
    await giveUp(name, envelope, error)
    if (envelope.run && why !== 'cancelled') {
      await runs.fail(db, envelope.run, record ? describe(error) : sentences[why], envelope)
    }
  },
})
