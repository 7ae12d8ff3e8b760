import { z } from 'zod'
import { rollUp } from '#sql/account/usage-roll-up.ts'
import { task } from '../queue/task.ts'

/** Sums yesterday's and today's use from the areas' own tables; running it again changes nothing. */
export const rollUpUsage = task({
  name: 'account/roll-up-usage',
  pool: 'core',
  payload: z.object({}),
  cron: '12 * * * *',
  async run(_, { db }) {
    await rollUp(db)
  },
})
