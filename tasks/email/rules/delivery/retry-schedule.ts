import type { ReplyClass } from '../replies/classes.ts'

const [minute, hour] = [60_000, 3_600_000]

/** Delays in milliseconds before the second attempt, the third attempt, and so on. The last value repeats. */
const intervals = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 6 * hour]

/** Fraction by which an interval varies, so that deferred messages do not return at the same time. */
const jitter = 0.2

export function retryAfter(attempt: number, { afterMs = 0 }: ReplyClass, random = Math.random()): number {
  const interval = intervals[Math.min(attempt, intervals.length) - 1] as number
  // Only longer, so that no attempt is earlier than the receiving server expects.
  const spread = (ms: number) => ms * (1 - jitter + 2 * jitter * random)
  return Math.max(spread(interval), afterMs * (1 + jitter * random))
}
