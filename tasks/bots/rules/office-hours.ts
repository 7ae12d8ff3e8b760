import { dayMs, findFirstInstant, getLocalMs, parseTimeOfDay } from '#lib/local-time.ts'
import type { Hours, Interval } from '#sql/bots/hours.ts'

export type Opening = Pick<Hours, 'time_zone' | 'intervals' | 'closed_dates'>

/** Whether people are available now. If not, `next_open_at` is the next opening, or `null` if there is none. */
export interface Availability {
  available: boolean
  next_open_at: Date | null
}

/** Returns whether people are available. Without office hours, they always are. */
export function getAvailability(hours: Opening | null, now: number): Availability {
  if (hours === null || isOpen(hours, now)) return { available: true, next_open_at: null }
  const next = findNextOpening(hours, now)
  return { available: false, next_open_at: next === null ? null : new Date(next) }
}

/** Day of the week of a local time, 1 (Monday) to 7 (Sunday). 1970-01-01 was a Thursday. */
const weekdayOf = (local: number): number => ((Math.floor(local / dayMs) + 3) % 7) + 1

const dateOf = (local: number): string => new Date(local).toISOString().slice(0, 10)

const startOfDay = (local: number): number => Math.floor(local / dayMs) * dayMs

export function isOpen({ time_zone, intervals, closed_dates }: Opening, at: number): boolean {
  const local = getLocalMs(time_zone, at)
  if (closed_dates.includes(dateOf(local))) return false
  const time = local - startOfDay(local)
  return intervals.some(
    ({ day, from, to }) => day === weekdayOf(local) && parseTimeOfDay(from) <= time && time < parseTimeOfDay(to),
  )
}

/**
 * Returns the next instant at which an interval starts, while it is closed. An interval in an hour that the clocks skip
 * does not open. An interval that starts in this hour opens at the change.
 */
function findNextOpening(hours: Opening, now: number): number | null {
  const { time_zone, intervals, closed_dates } = hours
  const closed = new Set(closed_dates)
  const today = startOfDay(getLocalMs(time_zone, now))
  // Each closed date can delay the opening by a week.
  for (let day = 0; day <= 7 * (closed.size + 2); day++) {
    const date = today + day * dayMs
    const starts = closed.has(dateOf(date)) ? [] : intervals.filter((one) => one.day === weekdayOf(date))
    const found = starts
      .map(({ from }) => findFirstInstant(time_zone, date + parseTimeOfDay(from), now))
      .filter((at) => at > now && isOpen(hours, at))
    if (found.length > 0) return Math.min(...found)
  }
  return null
}

export interface IntervalFault {
  index: number
  field: 'from' | 'to'
  issue: string
}

/** Returns the intervals that end before they start or overlap an earlier one of the list. */
export function findIntervalFaults(intervals: readonly Interval[]): IntervalFault[] {
  return intervals.flatMap(({ day, from, to }, index): IntervalFault[] => {
    if (parseTimeOfDay(to) <= parseTimeOfDay(from)) {
      return [{ index, field: 'to', issue: 'must be after `from` (split an interval at midnight)' }]
    }
    const overlaps = intervals.slice(0, index).some((one) => one.day === day && one.from < to && from < one.to)
    return overlaps ? [{ index, field: 'from', issue: 'must not overlap another interval of the day' }] : []
  })
}
