import { z } from 'zod'
import { InstantInput } from '#lib/input-types.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import { CronError, longestCron, parseCron } from '#tasks/work/rules/schedules/cron.ts'
import { findNextRun, type Timing } from '#tasks/work/rules/schedules/next-run.ts'
import { hasAllowedBody, jobFields } from './job-fields.ts'

/** Limits of an interval in seconds. */
export const [shortestEvery, longestEvery] = [60, 366 * 86_400]

export const ScheduleName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => name.trim() === name, 'must not start or end with a space')

const Cron = z
  .string()
  .max(longestCron)
  .superRefine((text, ctx) => {
    try {
      parseCron(text)
    } catch (error) {
      if (!(error instanceof CronError)) throw error
      ctx.addIssue({ code: 'custom', message: error.message })
    }
  })
  .describe(
    'Cron expression with 5 fields: minute, hour, day of month, month, day of week. Also `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`.',
  )

const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Vienna')
  .describe('IANA time zone of the cron expression. Default: `UTC`.')

const Every = z
  .int()
  .min(shortestEvery)
  .max(longestEvery)
  .describe('Interval in seconds, instead of `cron`. Runs keep their distance from `starts_at`.')

/** Fields that decide when a schedule runs. */
export const timingFields = {
  cron: Cron.nullish(),
  time_zone: TimeZone.optional(),
  every: Every.nullish(),
  starts_at: InstantInput.nullish().describe('No run before this time. The first run of an interval is at this time.'),
  ends_at: InstantInput.nullish().describe('No run after this time. Then the schedule has the state `ended`.'),
}

export const ScheduledJob = z
  .strictObject(jobFields)
  .refine(hasAllowedBody, { path: ['body'], message: 'cannot be sent with GET' })
  .describe('Job that each run creates')

export const Missed = z
  .enum(['skip', 'once'])
  .describe(
    'What happens to runs that were missed by more than 5 minutes, for example while all workers were stopped. `skip`: nothing. `once`: one job for the latest of them. Default: `skip`.',
  )

type TimingFields = { [Field in keyof typeof timingFields]?: z.output<(typeof timingFields)[Field]> }

/** Converts the fields to the columns of a schedule. */
export const toTiming = ({ cron, time_zone, every, starts_at, ends_at }: TimingFields, anchor: Date): Timing => ({
  cron: cron ?? null,
  time_zone: time_zone ?? 'UTC',
  every_seconds: every ?? null,
  anchor,
  starts_at: starts_at ? new Date(starts_at) : null,
  ends_at: ends_at ? new Date(ends_at) : null,
})

export interface TimingFault {
  field: string
  issue: string
}

/** Returns the faults of fields that are valid separately. */
export function findTimingFaults({ cron, every_seconds, starts_at, ends_at, ...rest }: Timing): TimingFault[] {
  if (cron === null && every_seconds === null) return [{ field: 'cron', issue: 'is required, or `every`' }]
  if (cron !== null && every_seconds !== null) return [{ field: 'every', issue: 'cannot be used together with `cron`' }]
  if (starts_at && ends_at && ends_at <= starts_at) return [{ field: 'ends_at', issue: 'must be after `starts_at`' }]
  if (findNextRun({ cron, every_seconds, starts_at, ends_at, ...rest }, new Date()) !== null) return []
  return [{ field: 'ends_at', issue: 'must be after the next run' }]
}
