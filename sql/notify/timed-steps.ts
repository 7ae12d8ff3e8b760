import { z } from 'zod'
import { conditions, groupKey, minutes } from './step-conditions.ts'

/** Limits the runs of one person. */
export const ThrottleStep = z
  .strictObject({
    type: z.literal('throttle'),
    runs: z.int().min(1).max(100).describe('Maximum number of runs of a person that continue within the window'),
    minutes: minutes.describe('Window in minutes, up to 30 days. Further runs stop here (`throttled`).'),
    key: groupKey.optional().describe('Field by which runs are counted separately'),
    conditions,
  })
  .meta({ id: 'notify.ThrottleStep' })

export type ThrottleStep = z.infer<typeof ThrottleStep>

export const Weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 09:00')

/** Waits until a local time of the person. */
export const ScheduleStep = z
  .strictObject({
    type: z.literal('schedule'),
    from: timeOfDay.describe('Local time of the person at which the run continues, such as `09:00`'),
    to: timeOfDay
      .optional()
      .describe('End of the period. A run that arrives between `from` and `to` continues immediately.'),
    days: z
      .array(Weekday)
      .min(1)
      .max(7)
      .refine((days) => new Set(days).size === days.length, { error: 'must contain each day only once' })
      .optional()
      .describe('Days of the week. Default: every day.'),
    conditions,
  })
  .refine(({ from, to }) => !to || from < to, { path: ['to'], error: 'must be later than `from`' })
  .meta({ id: 'notify.ScheduleStep' })

export type ScheduleStep = z.infer<typeof ScheduleStep>
