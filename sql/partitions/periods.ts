export type Period = 'day' | 'week' | 'month'

const dayMs = 86_400_000

/**
 * Returns the period for a retention in days. Rows expire with the last row of their partition, so a period is a
 * fraction of the retention. The number of partitions is kept low, because queries without the key search all of them.
 */
export function getPeriod(days: number): Period {
  if (days <= 7) return 'day'
  return days <= 366 ? 'week' : 'month'
}

/** Returns the start of the period in UTC. Weeks start on Monday. */
export function getPeriodStart(period: Period, at: Date): Date {
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (period === 'month') return new Date(Date.UTC(year, month))
  const sinceMonday = period === 'week' ? (at.getUTCDay() + 6) % 7 : 0
  return new Date(Date.UTC(year, month, date - sinceMonday))
}

export function getNextPeriodStart(period: Period, at: Date): Date {
  const begin = getPeriodStart(period, at)
  if (period === 'month') return new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1))
  return new Date(begin.getTime() + (period === 'week' ? 7 : 1) * dayMs)
}

/** Returns the time up to which partitions are created ahead: two whole periods, at least a week. */
export function getAheadEnd(period: Period, at: Date): Date {
  const two = getNextPeriodStart(period, getNextPeriodStart(period, getNextPeriodStart(period, at)))
  return two.getTime() - at.getTime() >= 7 * dayMs
    ? two
    : getNextPeriodStart(period, new Date(at.getTime() + 7 * dayMs))
}
