import { z } from 'zod'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { inBatches } from '../batches.ts'
import { task } from '../task.ts'

const keepDays = 30

/** Forgets finished runs after 30 days, and workers and crashes after one. */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  async run(_, { db, signal }) {
    await workers.prune(db)
    await inBatches(signal, (limit) => runs.deleteFinished(db, keepDays, limit))
  },
})
