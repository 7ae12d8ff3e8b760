import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'
import { getClientNetwork } from './buckets.ts'

export const maxUnknownKeys = 60

const refillMs = 1_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Limits lookups of unknown keys or sessions with a token bucket per network (an IPv4 address, an IPv6 /64). A lookup
 * takes a token before the database query, so concurrent lookups cannot exceed the limit. The returned function gives
 * the token back if the key exists.
 */
export function createUnknownKeyLimit(
  message = 'Too many unknown API keys from your network. Check your key and retry later.',
): (ip: string) => () => void {
  const buckets = new LRUCache<string, Bucket>({ max: 10_000 })

  return function take(ip) {
    const name = getClientNetwork(ip)
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
