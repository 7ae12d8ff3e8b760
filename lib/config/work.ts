import { z } from 'zod'
import { days } from './values.ts'

export const work = {
  CALL_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(512)
    .describe(
      'Maximum number of jobs of customers that one worker calls at the same time. One organisation can use up to a quarter of them.',
    ),
  CALL_HISTORY_DAYS: days.default(30).describe('Days that ended jobs are kept. Organisations can choose fewer days.'),
}
