import { dayMs, findFirstInstant, getLocalMs, parseTimeOfDay } from '#lib/local-time.ts'
import { type ScheduleStep, Weekday } from '#sql/notify/timed-steps.ts'

/** Without an end, a run that arrives within this minute continues immediately. */
const minuteMs = 60_000

/**
 * Returns the instant at which a run continues: `now` within the period of a `schedule` step, otherwise its next start
 * in the time zone.
 */
export function findScheduledTime({ from, to, days }: ScheduleStep, zone: string, now: Date): Date {
  const local = getLocalMs(zone, now.getTime())
  const midnight = Math.floor(local / dayMs) * dayMs
  const start = parseTimeOfDay(from)
  const end = to === undefined ? start + minuteMs : parseTimeOfDay(to)
  const isOpen = (day: number) => days === undefined || days.includes(weekdayOf(day))
  const at = local - midnight
  if (isOpen(midnight) && at >= start && at < end) return now
  for (let n = at < start ? 0 : 1; ; n++) {
    const day = midnight + n * dayMs
    if (isOpen(day)) return new Date(findFirstInstant(zone, day + start, now.getTime()))
  }
}

/** `day` is a local midnight as if it were UTC. Days of JavaScript start at Sunday. */
const weekdayOf = (day: number) =>
  Weekday.options[(new Date(day).getUTCDay() + 6) % 7] as (typeof Weekday.options)[number]
