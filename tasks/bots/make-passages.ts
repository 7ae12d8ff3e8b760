import { z } from 'zod'
import * as passages from '#sql/bots/passages.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Number of documents per statement. A document of 40,000 characters takes about 80 ms. */
const atOnce = 10

/** Creates passages of documents that an earlier release added. */
export const makePassages = task({
  name: 'bots/make-passages',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 10 * 60_000,
  run: (_, { db, signal }) => inBatches(signal, (limit) => passages.createMissing(db, limit), atOnce),
})
