import { z } from 'zod'
import { days } from './values.ts'

/** How organisations end. */
export const account = {
  CLOSURE_DAYS: days.default(14).describe('days of grace in which the closure of an organisation can be taken back'),
  AUDIT_ROWS_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .default(2_000)
    .describe('changes that keys and members of an organisation may make in an hour'),
}
