import { LRUCache } from 'lru-cache'
import { Problem, unavailable } from '#lib/errors.ts'
import { createFairSlots, ShareUsedUpError } from '#lib/slots.ts'
import type { DatabasePool } from '#sql/db.ts'
import { withConnect } from './acquire-timeout.ts'

export interface OrgShares {
  of(orgId: string): DatabasePool
}

const reserved = 2

const [waitingOfOne, waitMs] = [200, 5_000]

const tooMany = (max: number) =>
  new Problem(429, 'rate_limited', 'Too many of your requests are using the database. Retry this request later.', {
    retryAfter: 2,
    details: { limit: 'at_once', max },
  })

/**
 * Limits each organisation to half of the connections. Further requests of the organisation wait in a separate queue,
 * and the queues take turns. So other organisations get a connection immediately.
 */
export function createOrgShares(pool: DatabasePool, size = pool.configuration.maxPoolSize ?? 10): OrgShares {
  const slots = Math.max(1, size - reserved)
  const slotsOfOne = Math.max(1, Math.floor(size / 2))
  const shared = createFairSlots({ slots, slotsOfOne, waitingOfOne })
  const pools = new LRUCache<string, DatabasePool>({ max: 1_000 })

  async function turn(orgId: string): Promise<Disposable> {
    const late = AbortSignal.timeout(waitMs)
    try {
      return await shared.take(orgId, late)
    } catch (error) {
      if (error instanceof ShareUsedUpError || shared.hasWholeShare(orgId)) throw tooMany(slotsOfOne)
      throw late.aborted ? unavailable('The service is temporarily unavailable. Retry the same request.', 1) : error
    }
  }

  function poolOf(orgId: string): DatabasePool {
    return withConnect(pool, async (work) => {
      using _turn = shared.tryTake(orgId) ?? (await turn(orgId))
      return await pool.connect(work)
    })
  }

  return {
    of(orgId) {
      const known = pools.get(orgId)
      if (known) return known
      const own = poolOf(orgId)
      pools.set(orgId, own)
      return own
    },
  }
}
