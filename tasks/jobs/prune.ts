import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as dead from '#sql/jobs/dead.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import * as orphans from '#sql/jobs/orphans.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { queues } from '../pools.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const keepDays = 30
const keepFailuresDays = 14

/**
 * Ends runs whose job is gone from its queue; forgets finished runs after 30 days, failures after 14, workers and crashes
 * after one, failed jobs, what operators did and the history in their time.
 */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    for (const queue of queues) await orphans.endGone(db, queue)
    await workers.prune(db)
    await minutes.prune(db)
    await depths.prune(db)
    await inBatches(signal, (limit) => failures.prune(db, keepFailuresDays, limit))
    for (const queue of queues) await inBatches(signal, (limit) => dead.prune(db, queue, config.FAILED_JOB_DAYS, limit))
    // A failed job without its run could not be retried.
    const runDays = Math.max(keepDays, config.FAILED_JOB_DAYS)
    await inBatches(signal, (limit) => runs.deleteFinished(db, runDays, limit))
    await inBatches(signal, (limit) => controls.pruneActions(db, config.ACTION_DAYS, limit))
  },
})
