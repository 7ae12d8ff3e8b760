import { z } from 'zod'
import * as backlogs from '#sql/jobs/backlogs.ts'
import { poolNames, poolSchema } from '../pools.ts'
import { levelSize } from '../queue/fairness.ts'
import { task } from '../queue/task.ts'

/** Counts anew what each organisation has waiting in each pool: crashes and rollbacks leave the running counts wrong. */
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
