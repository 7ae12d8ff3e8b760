import { z } from 'zod'
import { rollUp } from '#sql/account/usage/roll-up.ts'
import { task } from '../queue/task.ts'

export const rollUpUsage = task({
  name: 'account/roll-up-usage',
  pool: 'core',
  payload: z.object({}),
  cron: '12 * * * *',
  async run(_, { db }) {
    await rollUp(db)
  },
})
