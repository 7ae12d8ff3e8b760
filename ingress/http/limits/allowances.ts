import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'

export interface Allowance {
  /**
   * Uses an amount of the owner’s allowance. Throws 429 if nothing remains. If less than the amount remains, the call
   * is still allowed.
   */
  spend(name: string, amount: number): void
}

const minuteMs = 60_000

export function createAllowance(perMinute: number, what: string): Allowance {
  const used = new LRUCache<string, { amount: number; at: number }>({ max: 10_000 })
  return {
    spend(name, amount) {
      const now = performance.now()
      const before = used.get(name) ?? { amount: 0, at: now }
      const left = Math.max(0, before.amount - ((now - before.at) / minuteMs) * perMinute)
      if (left >= perMinute) {
        const retryAfter = Math.ceil((((left - perMinute) / perMinute) * minuteMs) / 1_000) + 1
        throw new Problem(429, 'rate_limited', `You have reached the limit of ${perMinute} ${what} per minute.`, {
          retryAfter,
        })
      }
      used.set(name, { amount: left + amount, at: now })
    },
  }
}
