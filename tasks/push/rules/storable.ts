import { outsideText } from '#lib/outside-text.ts'
import type { PushResult } from '../engine.ts'

/** Characters of a provider's word, by which deliveries are counted, and of what else it said. */
const [wordLength, textLength] = [200, 1_000]

/** Seconds: nothing is tried again later than that. */
const longestWait = 86_400

/** An answer as Postgres takes it: what a provider says is anybody's text, and one that cannot be kept would cost a whole batch. */
export const storable = ({ reason, error, providerId, invalidSince, retryAfter, status, ...rest }: PushResult) => ({
  ...rest,
  status: status !== undefined && status >= 0 && status < 1_000 ? Math.trunc(status) : undefined,
  reason: cut(reason, wordLength),
  error: cut(error, textLength),
  providerId: cut(providerId, textLength),
  // APNs tells milliseconds since 1970; one that is no time, or is to come, is now.
  invalidSince: invalidSince && isPast(invalidSince) ? invalidSince : undefined,
  retryAfter: retryAfter === undefined || Number.isNaN(retryAfter) ? undefined : clamp(retryAfter),
})

const isPast = (at: Date): boolean => at.getTime() >= 0 && at.getTime() <= Date.now()

const clamp = (seconds: number): number => Math.min(Math.max(seconds, 0), longestWait)

const cut = (text: string | undefined, most: number) => (text === undefined ? undefined : outsideText(text, most))
