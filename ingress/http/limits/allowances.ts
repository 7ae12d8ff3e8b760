import { LRUCache } from 'lru-cache'
import { Problem } from '#lib/errors.ts'

/** What each of many may use up in a minute, in one process. */
export interface Allowance {
  /** Uses up an amount of one's allowance; throws 429 when none of it is left. What is left may be less than the amount. */
  spend(name: string, amount: number): void
}

const minuteMs = 60_000

/** Makes allowances of `perMinute` each, which refill all the time; `what` names what is used up, for the refusal. */
export function createAllowance(perMinute: number, what: string): Allowance {
  const used = new LRUCache<string, { amount: number; at: number }>({ max: 10_000 })
  return {
    spend(name, amount) {
      const now = performance.now()
      const before = used.get(name) ?? { amount: 0, at: now }
      const left = Math.max(0, before.amount - ((now - before.at) / minuteMs) * perMinute)
      if (left >= perMinute) {
        const retryAfter = Math.ceil((((left - perMinute) / perMinute) * minuteMs) / 1_000) + 1
        throw new Problem(429, 'rate_limited', `The limit of ${perMinute} ${what} per minute is reached.`, {
          retryAfter,
        })
      }
      used.set(name, { amount: left + amount, at: now })
    },
  }
}
