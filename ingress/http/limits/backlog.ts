import { Problem } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { PoolName } from '#tasks/pools.ts'
import type { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { retryAfter } from '#tasks/queue/fairness.ts'

/** A place in a pool's queue, held by a request until it is answered; or why there is none. */
export interface Place extends Disposable {
  refusal?: Problem
}

/** Finds out whether a request may add to what its organisation has waiting in a pool. */
export interface Backlog {
  /** A place for one more job, refused while the plan's `waiting_jobs` wait already. */
  admit(caller: Caller, pool: PoolName): Promise<Place>
}

/**
 * Counts what waits by the backlog cache, and every admitted request as one more until it is answered, so that requests at
 * once do not pass a limit together; one that is committed and not yet answered may count twice for a moment. Another
 * process's jobs are seen within half a second.
 */
export function createBacklog(backlogs: BacklogSync): Backlog {
  const admitted = new Map<string, number>()
  const change = (name: string, by: 1 | -1) => {
    const count = (admitted.get(name) ?? 0) + by
    if (count > 0) admitted.set(name, count)
    else admitted.delete(name)
  }
  return {
    async admit({ org, plan }, pool) {
      const entry = await backlogs.entry(pool, org.id)
      const name = `${pool} ${org.id}`
      const over = entry.waiting() + (admitted.get(name) ?? 0) + 1 - plan.waiting_jobs
      if (over > 0) {
        const seconds = retryAfter(over, entry.startsPerSecond)
        return { refusal: refusalOf(pool, plan.waiting_jobs, entry.waiting(), seconds), [Symbol.dispose]() {} }
      }
      change(name, 1)
      return { [Symbol.dispose]: () => change(name, -1) }
    },
  }
}

function refusalOf(pool: PoolName, limit: number, waiting: number, seconds: number): Problem {
  return new Problem(
    429,
    'rate_limited',
    `Your plan lets ${limit} jobs wait in the pool ${pool}; send this again when some of them have begun.`,
    { details: { pool, limit: 'waiting_jobs', max: limit, waiting }, retryAfter: seconds },
  )
}
