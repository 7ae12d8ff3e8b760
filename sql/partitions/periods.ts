/** How much time one partition is for. */
export type Period = 'day' | 'week' | 'month'

const dayMs = 86_400_000

/**
 * The period of what is kept for so many days: rows go when the last one of their partition is over, so that a period is a share of the days;
 * partitions are few, as what does not look by their key looks into each.
 */
export function periodOf(days: number): Period {
  if (days <= 7) return 'day'
  return days <= 366 ? 'week' : 'month'
}

/** The begin of the period, by UTC, that an instant lies in; weeks begin on Monday. */
export function beginOf(period: Period, at: Date): Date {
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (period === 'month') return new Date(Date.UTC(year, month))
  const sinceMonday = period === 'week' ? (at.getUTCDay() + 6) % 7 : 0
  return new Date(Date.UTC(year, month, date - sinceMonday))
}

/** The begin of the period after that of an instant. */
export function nextOf(period: Period, at: Date): Date {
  const begin = beginOf(period, at)
  if (period === 'month') return new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1))
  return new Date(begin.getTime() + (period === 'week' ? 7 : 1) * dayMs)
}

/** Up to when partitions are there ahead: two periods that are whole, and never less than a week. */
export function aheadOf(period: Period, at: Date): Date {
  const two = nextOf(period, nextOf(period, nextOf(period, at)))
  return two.getTime() - at.getTime() >= 7 * dayMs ? two : nextOf(period, new Date(at.getTime() + 7 * dayMs))
}
