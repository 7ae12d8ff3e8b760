import { toStorableText } from '#lib/outside-text.ts'
import type { PushResult } from '../engine.ts'

/** Maximum number of characters of a provider’s reason, by which deliveries are counted, and of its message. */
const [wordLength, textLength] = [200, 1_000]

/** Maximum delay of a retry in seconds. */
const longestWait = 86_400

/**
 * Returns a result that Postgres can store. The provider’s text can contain any characters, and one invalid string
 * would fail a whole batch.
 */
export const toStorable = ({ reason, error, providerId, invalidSince, retryAfter, status, ...rest }: PushResult) => ({
  ...rest,
  status: status !== undefined && status >= 0 && status < 1_000 ? Math.trunc(status) : undefined,
  reason: cut(reason, wordLength),
  error: cut(error, textLength),
  providerId: cut(providerId, textLength),
  // APNs returns milliseconds since 1970. Invalid or future times are replaced by now.
  invalidSince: invalidSince && isPast(invalidSince) ? invalidSince : undefined,
  retryAfter: retryAfter === undefined || Number.isNaN(retryAfter) ? undefined : clamp(retryAfter),
})

const isPast = (at: Date): boolean => at.getTime() >= 0 && at.getTime() <= Date.now()

const clamp = (seconds: number): number => Math.min(Math.max(seconds, 0), longestWait)

const cut = (text: string | undefined, most: number) => (text === undefined ? undefined : toStorableText(text, most))
