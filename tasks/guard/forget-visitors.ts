import { z } from 'zod'
import * as assessments from '#sql/guard/assessments.ts'
import * as tickets from '#sql/guard/tickets.ts'
import * as visitors from '#sql/guard/visitors.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Hours after which nothing is left of a count: 24 mean lives of the longest. */
const visitorHours = 24

/** Hours for which judgements and spent tickets are kept, which are over within minutes. */
const keptHours = 24

/** Forgets what is known of visitors, and the judgements of their attempts, a day later. */
export const forgetVisitors = task({
  name: 'guard/forget-visitors',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => visitors.prune(db, visitorHours, limit))
    await inBatches(signal, (limit) => assessments.prune(db, keptHours, limit))
    await inBatches(signal, (limit) => tickets.prune(db, keptHours, limit))
  },
})
