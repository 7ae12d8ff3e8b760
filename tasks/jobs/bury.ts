import { z } from 'zod'
import { Cancelled, Permanent } from '#lib/errors.ts'
import * as runs from '#sql/jobs/runs.ts'
import { Envelope, task } from '../task.ts'

const sentences = {
  crashed: 'Its worker died 3 times while it ran.',
  cancelled: 'It was cancelled before it ran.',
}

/**
 * Tells a task that one of its jobs is over without a worker to say so: it killed its worker three times (jobs.release
 * enqueues this), or was cancelled while it waited.
 */
export const bury = task({
  name: 'jobs/bury',
  pool: 'core',
  payload: z.object({ task: z.string(), envelope: Envelope, why: z.enum(['crashed', 'cancelled']).default('crashed') }),
  attempts: 25,
  async run({ task: name, envelope, why }, { db, log, giveUp }) {
    log.warn({ buried: name, run: envelope.run }, `a job of ${name} is over: ${sentences[why]}`)
    const error = why === 'crashed' ? new Permanent(sentences[why]) : new Cancelled(sentences[why])
    await giveUp(name, envelope, error)
    // A cancelled run has ended already.
    if (envelope.run && why === 'crashed') await runs.bury(db, envelope.run, sentences[why], envelope)
  },
})
