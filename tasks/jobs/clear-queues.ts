import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as dead from '#sql/jobs/dead.ts'
import * as orphans from '#sql/jobs/orphans.ts'
import { queues } from '../pools.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/**
 * Ends runs whose job is no longer in its queue. Removes failed jobs from the queues after their retention, and
 * scheduled jobs of tasks that no longer exist. A plain delete is not possible, because the library owns the queue
 * tables, and because runs stay on record as discarded.
 */
export const clearQueues = task({
  name: 'jobs/clear-queues',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    for (const queue of queues) {
      await orphans.failRunsWithoutJob(db, queue)
      await inBatches(signal, (limit) => dead.discard(db, queue, config.FAILED_JOB_DAYS, limit))
      await inBatches(signal, (limit) => dead.removeUnclaimed(db, queue, limit))
    }
  },
})
