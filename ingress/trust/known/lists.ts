import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listPolicies, type Policies } from '#sql/trust/listings.ts'

/**
 * Maximum number of hosts in memory for all organisations (about 40 MB), and for one organisation. If an organisation
 * has more, the database is queried.
 */
const mostHosts = 200_000
const mostOfOne = 10_000

/**
 * Time in milliseconds after which an organisation’s hosts are read again. An organisation can move away and back
 * without a notification.
 */
const keptMs = 60_000

/**
 * Pause in milliseconds per read host. So reading takes up to a tenth of a process’s time, even if an organisation
 * changes thousands of hosts one by one.
 */
const restMs = 0.02

export interface PolicyCache {
  /**
   * Returns the policies of an organisation. Returns undefined if they are not loaded. Then loading starts, unless
   * others are being loaded.
   */
  of(orgId: string): Policies | undefined
  /** Discards the policies. The result of a read in progress is discarded too. */
  forget(orgId: string): void
  forgetAll(): void
}

/** Creates a cache of policies. It keeps the policies of an organisation from the first check until they change. */
export function createPolicyCache(db: DatabasePool): PolicyCache {
  const lists = new LRUCache<string, { policies: Policies | undefined }>({
    maxSize: mostHosts,
    sizeCalculation: ({ policies }) => 1 + (policies?.size ?? 0),
    ttl: keptMs,
  })
  /**
   * The organisation whose policies are being read. Only one is read at a time. The ID is removed if its policies
   * change during the read.
   */
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
