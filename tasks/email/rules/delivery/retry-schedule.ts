import type { ReplyClass } from '../classes.ts'

const [minute, hour] = [60_000, 3_600_000]

/** Milliseconds after the first attempt, the second one, and so on; the last one again and again. */
const intervals = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 6 * hour]

/** Share of an interval by which it is longer or shorter: what was deferred together does not come again together. */
const jitter = 0.2

/** Milliseconds until the attempt after the given one. */
export function retryAfter(attempt: number, { afterMs = 0 }: ReplyClass, random = Math.random()): number {
  const interval = intervals[Math.min(attempt, intervals.length) - 1] as number
  // Never before the time that the other side has in mind, so that one grows only.
  const spread = (ms: number) => ms * (1 - jitter + 2 * jitter * random)
  return Math.max(spread(interval), afterMs * (1 + jitter * random))
}
