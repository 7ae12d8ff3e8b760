import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'
import { network } from './buckets.ts'

/** Unknown keys that are looked up for one network before it gets 429. */
export const maxUnknownKeys = 60

/** Milliseconds after which a network may have one more looked up. */
const refillMs = 1_000

/** What a network has taken from its token bucket, as of an instant by `performance.now()`. */
interface Bucket {
  tokens: number
  at: number
}

/**
 * A token bucket per network (an IPv4 address, an IPv6 /64) for look-ups that find no key, or no session. A token is taken before the database
 * is asked, so that many at once do not pass together; what is returned gives the token of a look-up that found its key back.
 */
export function createUnknownKeyLimit(
  message = 'Too many unknown API keys came from your network.',
): (ip: string) => () => void {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 })

  return function take(ip) {
    const name = network(ip)
    const bucket = buckets.get(name) ?? { tokens: 0, at: performance.now() }
    const now = performance.now()
    bucket.tokens = Math.max(0, bucket.tokens - (now - bucket.at) / refillMs)
    bucket.at = now
    buckets.set(name, bucket)
    if (bucket.tokens > maxUnknownKeys - 1) {
      const retryAfter = Math.ceil(((bucket.tokens - maxUnknownKeys + 1) * refillMs) / 1000)
      throw new Problem(429, 'rate_limited', message, { retryAfter })
    }
    bucket.tokens++
    return () => {
      bucket.tokens = Math.max(0, bucket.tokens - 1)
    }
  }
}
