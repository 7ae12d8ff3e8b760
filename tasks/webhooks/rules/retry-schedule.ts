const [second, minute, hour] = [1_000, 60_000, 60 * 60_000]

/**
 * Delay in milliseconds before each attempt, after the previous attempt: ten attempts over 75.6 hours, as Standard
 * Webhooks recommends.
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

/** Maximum fraction by which a delay is extended, so that failed deliveries are not retried at the same time. */
const jitter = 0.2

/**
 * Returns the delay in milliseconds from the end of attempt `number` (from 1) to the next attempt. Null after the last
 * attempt.
 */
export function nextAttemptMs(number: number, retryAfterMs: number | null): number | null {
  const delay = schedule[number]
  if (delay === undefined) return null
  return Math.max(delay * (1 + jitter * Math.random()), retryAfterMs ?? 0)
}

/** Duration of failure and number of consecutive failures after which an endpoint is disabled. */
const hopeless = { ms: 5 * 24 * hour, failures: 10 }

export const isHopeless = ({ failures, failing_ms }: { failures: number; failing_ms: number }): boolean =>
  failing_ms >= hopeless.ms && failures >= hopeless.failures

/** Number of consecutive failures after which the circuit breaker opens, for any response. */
const tolerated = 3

/**
 * Returns the time in milliseconds for which the circuit breaker opens. Null if it stays closed. The time is half of
 * the time for which the endpoint has failed. So each pause grows by half, even if many deliveries fail at the same
 * time.
 */
export function getBreakMs(
  { failures, failing_ms }: { failures: number; failing_ms: number },
  isOverloaded: boolean,
  retryAfterMs: number | null,
): number | null {
  if (!isOverloaded && failures < tolerated) return null
  return Math.max(Math.min(5 * minute, Math.max(5 * second, failing_ms / 2)), retryAfterMs ?? 0)
}
