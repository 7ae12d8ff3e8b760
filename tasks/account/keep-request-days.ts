import { z } from 'zod'
import { config } from '#lib/config.ts'
import { dropDays, makeDays } from '#sql/account/usage/request-days.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import { task } from '../queue/task.ts'

export const keepRequestDays = task({
  name: 'account/keep-request-days',
  pool: 'core',
  payload: z.object({}),
  cron: '7,37 * * * *',
  async run(_, { db }) {
    await makeDays(db)
    await minutes.rollUp(db)
    await dropDays(db, config.REQUEST_LOG_DAYS)
  },
})
