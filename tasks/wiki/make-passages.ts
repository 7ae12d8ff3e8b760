import { z } from 'zod'
import * as passages from '#sql/wiki/passages.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Number of articles per statement. An article of 40,000 characters takes about 80 ms. */
const atOnce = 10

/** Creates passages of articles that an earlier release published. */
export const makePassages = task({
  name: 'wiki/make-passages',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 10 * 60_000,
  run: (_, { db, signal }) => inBatches(signal, (limit) => passages.createMissing(db, limit), atOnce),
})
