import { z } from 'zod'
import { days } from './values.ts'

export const account = {
  CLOSURE_DAYS: days
    .default(14)
    .describe('Grace period in days. The closure of an organisation can be cancelled during this time.'),
  AUDIT_ROWS_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .default(2_000)
    .describe('Maximum number of changes per hour by the keys and members of an organisation'),
}
