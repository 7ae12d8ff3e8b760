import { z } from 'zod'
import * as directory from '#sql/bots/directory.ts'
import { task } from '../queue/task.ts'

export const recount = task({
  name: 'bots/recount',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db }) {
    await directory.recount(db)
  },
})
