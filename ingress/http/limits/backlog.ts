import { Problem } from '#lib/errors.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { PoolName } from '#tasks/pools.ts'
import type { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { retryAfter } from '#tasks/queue/fairness.ts'

export interface BacklogPlace extends Disposable {
  refusal?: Problem
}

/** An organisation and its plan, such as a caller. */
export interface Owner {
  org: { id: string }
  plan: Plan
}

export interface Backlog {
  /** Reserves a place for one more job. Rejects if the number of waiting jobs has reached the plan’s `waiting_jobs`. */
  admit(owner: Owner, pool: PoolName): Promise<BacklogPlace>
}

/**
 * Counts the waiting jobs in the backlog cache. Each admitted request counts as one more job until its response, so
 * concurrent requests cannot exceed a limit together. A committed request can count twice until its response. Jobs from
 * other processes are counted within half a second.
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
    `Your plan allows ${limit} waiting jobs in the \`${pool}\` pool. Retry after some of them have started.`,
    { details: { pool, limit: 'waiting_jobs', max: limit, waiting }, retryAfter: seconds },
  )
}
