import { z } from 'zod'
import { TimeZone } from '../fields.ts'

const TimeOfDay = z.iso.time({ precision: -1, error: 'must be a time of day, such as 22:00' })

export const QuietHoursForm = z
  .strictObject({
    from: TimeOfDay,
    to: TimeOfDay,
    time_zone: TimeZone.default('UTC').describe('Time zone of users and devices without one. Default: `UTC`.'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must be different from `from`' })
  .describe(
    'Messages during this time are queued until it ends, in the time zone of each device or user. A message whose `ttl` ends before then expires.',
  )
