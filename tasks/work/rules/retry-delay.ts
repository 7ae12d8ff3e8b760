import type { Retries } from '#sql/work/jobs.ts'

/** Limits of retries: attempts, and seconds between two attempts. */
export const [maxAttempts, maxDelay] = [25, 7 * 86_400]

/** Five attempts within about 20 minutes. */
export const defaultBackoff = { first: 10, factor: 4, most: 3_600 }

export const defaultRetries: Retries = { max_attempts: 5, backoff: defaultBackoff }

/** Maximum fraction by which a growing delay is extended, so that failed jobs are not retried at the same time. */
const jitter = 0.2

/**
 * Returns the delay in milliseconds from the end of attempt `number` (from 1) to the next attempt. Null after the last
 * attempt. The server can ask for a longer delay, up to `maxDelay`.
 */
export function getRetryMs(retries: Retries, number: number, retryAfterMs: number | null): number | null {
  if (number >= retries.max_attempts) return null
  const delay = Math.min(
    retries.schedule ? fixedDelay(retries.schedule, number) : grownDelay(retries, number),
    maxDelay,
  )
  return Math.max(delay * 1_000, Math.min(retryAfterMs ?? 0, maxDelay * 1_000))
}

/** The last delay of a schedule repeats. */
const fixedDelay = (schedule: readonly number[], number: number): number =>
  schedule[Math.min(number, schedule.length) - 1] ?? 0

function grownDelay({ backoff = defaultBackoff }: Retries, number: number): number {
  const { first, factor, most } = backoff
  return Math.min(most, first * factor ** (number - 1)) * (1 + jitter * Math.random())
}
