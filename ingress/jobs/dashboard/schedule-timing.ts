import { z } from 'zod'
import { optionalField } from '../../http/html/form.ts'
import { toInstant, toNumber } from './job-fields.ts'

const text = optionalField(z.string())

export const timingFields = { cron: text, time_zone: text, every: text, starts_at: text, ends_at: text }

const Timing = z.object(timingFields)

/** Returns when a schedule of a form runs, as the API takes it. */
export const toTiming = ({ cron, time_zone, every, starts_at, ends_at }: z.output<typeof Timing>) => ({
  ...(cron !== undefined && { cron: cron.trim(), time_zone: time_zone?.trim() ?? 'UTC' }),
  ...(every !== undefined && { every: toNumber(every) }),
  ...(starts_at !== undefined && { starts_at: toInstant(starts_at) }),
  ...(ends_at !== undefined && { ends_at: toInstant(ends_at) }),
})

/** Returns the timing in the given values of a form, before they are validated. */
export function timingIn(given: Readonly<Record<string, unknown>>): ReturnType<typeof toTiming> {
  const found = Timing.safeParse(given)
  return found.success ? toTiming(found.data) : {}
}
