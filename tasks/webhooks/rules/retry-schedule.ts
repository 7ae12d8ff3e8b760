const [second, minute, hour] = [1_000, 60_000, 60 * 60_000]

/**
 * Milliseconds before each attempt, after the previous one: ten attempts over 75.6 hours, as Standard Webhooks
 * recommends.
 */
export const schedule = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

/** Maximum extension of a delay, so that failed deliveries are not retried at the same time. */
const jitter = 0.2

/** Returns milliseconds from the end of attempt `number` (from 1) to the next one; null after the last. */
export function nextAttemptMs(number: number, retryAfterMs: number | null): number | null {
  const delay = schedule[number]
  if (delay === undefined) return null
  return Math.max(delay * (1 + jitter * Math.random()), retryAfterMs ?? 0)
}

/** An endpoint is disabled after this time of failure and number of failures in a row. */
const hopeless = { ms: 5 * 24 * hour, failures: 10 }

export const isHopeless = ({ failures, failing_ms }: { failures: number; failing_ms: number }): boolean =>
  failing_ms >= hopeless.ms && failures >= hopeless.failures

/** Failures in a row after which the circuit breaker opens, for any response. */
const tolerated = 3

/**
 * Returns milliseconds for which the circuit breaker opens; null if it stays closed. Half of the time for which the
 * endpoint has failed, so each pause grows by half, even if many deliveries fail at the same time.
 */
export function getBreakMs(
  { failures, failing_ms }: { failures: number; failing_ms: number },
  isOverloaded: boolean,
  retryAfterMs: number | null,
): number | null {
  if (!isOverloaded && failures < tolerated) return null
  return Math.max(Math.min(5 * minute, Math.max(5 * second, failing_ms / 2)), retryAfterMs ?? 0)
}
