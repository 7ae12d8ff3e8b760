import { z } from 'zod'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { task } from '../task.ts'

const keepDays = 30
const keepFailuresDays = 14
const batch = 5_000

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
    while (!signal.aborted && (await failures.prune(db, keepFailuresDays, batch)) === batch);
    while (!signal.aborted && (await runs.deleteFinished(db, keepDays, batch)) === batch);
  },
})
