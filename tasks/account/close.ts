import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import * as closures from '#sql/account/closures.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { closeOrganisation } from './rules/close-organisation.ts'

/** How often it runs, and for how long a run goes on, in milliseconds. */
const [everyMs, spanMs] = [5 * 60_000, 4 * 60_000]

/**
 * Deletes the organisations whose grace is over, a batch at a time; what is left when a run's time is over goes on in another. One
 * that fails keeps none of the others, and fails the job at its end.
 */
export const close = task({
  name: 'account/close',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: everyMs + 10 * 60_000,
  async run(_, { db, storage, signal, log }): Promise<void> {
    const over = AbortSignal.timeout(spanMs)
    const inTime = AbortSignal.any([signal, over])
    const failed: unknown[] = []
    for (const work of await closures.begin(db)) {
      try {
        await closeOrganisation(work, { db, storage, signal: inTime })
      } catch (error) {
        signal.throwIfAborted()
        if (over.aborted) return void (await enqueue(db, close, {}, { key: 'account/close' }))
        log.error({ closure: work.id, err: describe(error) }, 'an organisation could not be deleted; it is tried again')
        failed.push(error)
      }
    }
    if (failed.length > 0) throw new Error(`${failed.length} organisations could not be deleted`, { cause: failed[0] })
  },
})
