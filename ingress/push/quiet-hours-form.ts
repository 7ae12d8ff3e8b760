import { z } from 'zod'
import { TimeZone } from './fields.ts'

const TimeOfDay = z.iso.time({ precision: -1, error: 'must be a time of day, such as 22:00' })

/** When a message is not to come. */
export const QuietHoursForm = z
  .strictObject({
    from: TimeOfDay,
    to: TimeOfDay,
    time_zone: TimeZone.default('UTC').describe('Of people whose own is not known'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must be different from `from`' })
  .describe(
    'By each person’s clock: what would come between waits until they end, and is expired if it is over by then',
  )
