import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { allPolicies, type Policies } from '#sql/trust/listings.ts'

/** Hosts of all organisations that a process keeps, some 40 MB; and of one, above which the database alone is asked. */
const mostHosts = 200_000
const mostOfOne = 10_000

/** Milliseconds after which an organisation's are read anew: one that was moved away and back was changed without a word. */
const keptMs = 60_000

/**
 * Milliseconds for each host that was read in which nothing is read: it takes no more of a process's time than one part in ten, also
 * where an organisation changes thousands of hosts one by one, or more have thousands than are kept.
 */
const restMs = 0.02

/** What organisations say of hosts. */
export interface KnownLists {
  /** All that an organisation says; undefined where that is not known: it is read meanwhile, unless others' are. */
  of(orgId: string): Policies | undefined
  /** Has it read anew, and not kept as it is being read now. */
  forget(orgId: string): void
  forgetAll(): void
}

/** Keeps what organisations say from their first check on, until they change it. */
export function createKnownLists(db: DatabasePool): KnownLists {
  const lists = new LRUCache<string, { policies: Policies | undefined }>({
    maxSize: mostHosts,
    sizeCalculation: ({ policies }) => 1 + (policies?.size ?? 0),
    ttl: keptMs,
  })
  /** Whose are being read, one at a time; without a name once these were changed meanwhile. */
  let reading: { orgId?: string } | undefined
  let restingUntil = 0

  async function read(orgId: string): Promise<void> {
    const own: { orgId?: string } = { orgId }
    reading = own
    let count = 0
    try {
      const policies = (await allPolicies(db, orgId, mostOfOne)) ?? undefined
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
