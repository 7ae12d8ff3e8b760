const [second, minute, hour] = [1_000, 60_000, 60 * 60_000]

/** Milliseconds before each attempt, counted from the one before: ten over 75.6 hours, as Standard Webhooks recommends. */
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

/** The part by which a delay may be longer, so that what failed together is not tried again together. */
const jitter = 0.2

/** Milliseconds from the end of attempt `number` (from 1) to the next one; null when it was the last. */
export function nextAttemptMs(number: number, retryAfterMs: number | null): number | null {
  const delay = schedule[number]
  if (delay === undefined) return null
  return Math.max(delay * (1 + jitter * Math.random()), retryAfterMs ?? 0)
}

/** An endpoint is disabled that has failed for so long, and so often in a row. */
const hopeless = { ms: 5 * 24 * hour, failures: 10 }

/** Whether an endpoint is to be disabled. */
export const isHopeless = ({ failures, failing_ms }: { failures: number; failing_ms: number }): boolean =>
  failing_ms >= hopeless.ms && failures >= hopeless.failures

/** Failures in a row after which the circuit breaker opens, whatever the endpoint answers. */
const tolerated = 3

/**
 * Milliseconds for which the circuit breaker opens after a failure; null when it stays closed. Half the time for which the endpoint
 * has failed, so that the pauses grow by half each, however many deliveries failed at once.
 */
export function breakMs(
  { failures, failing_ms }: { failures: number; failing_ms: number },
  isOverloaded: boolean,
  retryAfterMs: number | null,
): number | null {
  if (!isOverloaded && failures < tolerated) return null
  return Math.max(Math.min(5 * minute, Math.max(5 * second, failing_ms / 2)), retryAfterMs ?? 0)
}
