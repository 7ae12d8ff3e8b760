import { z } from 'zod'
import * as depths from '#sql/jobs/depths.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import { task } from '../queue/task.ts'

/** Aggregates the recorded minutes to hours. Running it again changes nothing. */
export const rollUp = task({
  name: 'jobs/roll-up',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  async run(_, { db }) {
    await minutes.rollUp(db)
    await depths.rollUp(db)
  },
})
