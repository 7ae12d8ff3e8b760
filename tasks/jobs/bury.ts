import { z } from 'zod'
import { Cancelled, describe, Permanent } from '#lib/errors.ts'
import * as runs from '#sql/jobs/runs.ts'
import { ErrorRecord, errorOf } from '../queue/error-record.ts'
import { Envelope, task } from '../queue/task.ts'

const sentences = {
  crashed: 'Its worker died 3 times while it ran.',
  cancelled: 'It was cancelled before it ran.',
  failed: 'It has no attempt left.',
}

/**
 * Tells a task that one of its jobs is over without a worker to say so: it killed its worker three times (jobs.release
 * enqueues this), was cancelled while it waited, or failed when its task could not be told.
 */
export const bury = task({
  name: 'jobs/bury',
  pool: 'core',
  payload: z.object({
    task: z.string(),
    envelope: Envelope,
    /** The job's name, `pool:number`. */
    job: z.string().optional(),
    why: z.enum(['crashed', 'cancelled', 'failed']).default('crashed'),
    /** What it failed with. */
    error: ErrorRecord.optional(),
  }),
  attempts: 25,
  async run({ task: name, envelope, why, error: record }, { db, log, giveUp }) {
    log.warn({ buried: name, run: envelope.run }, `a job of ${name} is over: ${sentences[why]}`)
    const error = record ? errorOf(record) : new (why === 'cancelled' ? Cancelled : Permanent)(sentences[why])
    await giveUp(name, envelope, error)
    // A cancelled run has ended already.
    if (envelope.run && why !== 'cancelled') {
      await runs.bury(db, envelope.run, record ? describe(error) : sentences[why], envelope)
    }
  },
})
