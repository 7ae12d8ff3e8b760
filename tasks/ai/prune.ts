import { z } from 'zod'
import * as usage from '#sql/ai/usage.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Days of counts: a year to compare with, and some. */
const usageDays = 400

/** Forgets what language work cost long ago. */
export const prune = task({
  name: 'ai/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '41 3 * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => usage.prune(db, usageDays, limit))
  },
})
