import { z } from 'zod'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { inBatches } from '../batches.ts'
import { task } from '../task.ts'

const keepDays = 30
const keepFailuresDays = 14

/** Forgets finished runs after 30 days, failures after 14, workers and crashes after one, and the history in its time. */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  async run(_, { db, signal }) {
    await workers.prune(db)
    await minutes.prune(db)
    await depths.prune(db)
    await inBatches(signal, (limit) => failures.prune(db, keepFailuresDays, limit))
    await inBatches(signal, (limit) => runs.deleteFinished(db, keepDays, limit))
  },
})
