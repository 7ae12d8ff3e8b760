import { z } from 'zod'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { task } from '../task.ts'

const keepDays = 30
const batch = 5_000

/** Forgets finished runs after 30 days, and workers and crashes after one. */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  async run(_, { db, signal }) {
    await workers.prune(db)
    while (!signal.aborted && (await runs.deleteFinished(db, keepDays, batch)) === batch);
  },
})
