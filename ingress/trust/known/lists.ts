import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listPolicies, type Policies } from '#sql/trust/listings.ts'

/**
 * Hosts that a process keeps for all organisations, some 40 MB, and for one. Above the second limit, the database is
 * queried.
 */
const mostHosts = 200_000
const mostOfOne = 10_000

/**
 * Milliseconds after which an organisation’s hosts are read again. An organisation that moved away and back changes
 * without a notification.
 */
const keptMs = 60_000

/**
 * Milliseconds of pause per read host, so that reading takes up to a tenth of a process’s time, even if an organisation
 * changes thousands of hosts one by one.
 */
const restMs = 0.02

export interface PolicyCache {
  /**
   * Returns the policies of an organisation. Undefined if they are not loaded: loading then starts, unless others are
   * being loaded.
   */
  of(orgId: string): Policies | undefined
  /** Discards the policies. A read in progress is discarded as well. */
  forget(orgId: string): void
  forgetAll(): void
}

/** Keeps the policies of an organisation from its first check until they change. */
export function createPolicyCache(db: DatabasePool): PolicyCache {
  const lists = new LRUCache<string, { policies: Policies | undefined }>({
    maxSize: mostHosts,
    sizeCalculation: ({ policies }) => 1 + (policies?.size ?? 0),
    ttl: keptMs,
  })
  /** The organisation being read, one at a time. Without an ID if its policies have changed since. */
  let reading: { orgId?: string } | undefined
  let restingUntil = 0

  async function read(orgId: string): Promise<void> {
    const own: { orgId?: string } = { orgId }
    reading = own
    let count = 0
    try {
      const policies = (await listPolicies(db, orgId, mostOfOne)) ?? undefined
      count = policies?.size ?? mostOfOne
      if (own.orgId) lists.set(orgId, { policies })
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read the lists of an organisation; querying the database instead')
    }
    restingUntil = performance.now() + count * restMs
    reading = undefined
  }

  return {
    of(orgId) {
      const known = lists.get(orgId)
      if (!known && !reading && performance.now() >= restingUntil) void read(orgId)
      return known?.policies
    },
    forget(orgId) {
      lists.delete(orgId)
      if (reading?.orgId === orgId) delete reading.orgId
    },
    forgetAll() {
      lists.clear()
      delete reading?.orgId
    },
  }
}
