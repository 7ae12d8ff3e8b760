import { z } from 'zod'
import * as backlogs from '#sql/jobs/backlogs.ts'
import { poolNames, poolSchema } from '../pools.ts'
import { levelSize } from '../queue/fairness.ts'
import { task } from '../queue/task.ts'

/**
 * Recounts the waiting jobs of each organisation in each pool. Crashes and rollbacks make the running counts
 * inaccurate.
 */
export const recount = task({
  name: 'jobs/recount',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal }) {
    for (const pool of poolNames) {
      signal.throwIfAborted()
      await backlogs.recount(db, pool, poolSchema(pool), levelSize)
    }
  },
})
