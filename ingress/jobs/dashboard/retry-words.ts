import type { Retries } from '#sql/work/jobs.ts'
import { defaultBackoff } from '#tasks/work/rules/retry-delay.ts'
import { duration } from '../../http/html/format.ts'

/** Describes a retry policy: `after 1 m, 5 m and 1 h`. */
export function retryWords({ max_attempts, schedule, backoff }: Retries): string {
  if (max_attempts === 1) return 'none'
  if (schedule && schedule.length > 0) return `after ${listed(schedule.map(duration))}`
  const { first, factor, most } = backoff ?? defaultBackoff
  return `after ${duration(first)}, then ${factor} times longer each, up to ${duration(most)}`
}

const listed = (words: readonly string[]): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
