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

/** What organisations say of hosts. */
export interface KnownLists {
  /** All that an organisation says; undefined where that is not known, and read meanwhile. */
  of(orgId: string): Policies | undefined
  /** Has it read anew, also when it is being read now. */
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
  const reading = new Map<string, symbol>()

  async function read(orgId: string): Promise<void> {
    const own = Symbol(orgId)
    reading.set(orgId, own)
    try {
      const policies = (await allPolicies(db, orgId, mostOfOne)) ?? undefined
      if (reading.get(orgId) === own) lists.set(orgId, { policies })
    } catch (error) {
      log.debug({ err: describe(error) }, 'the lists of an organisation could not be read; the database is asked')
    } finally {
      if (reading.get(orgId) === own) reading.delete(orgId)
    }
  }

  return {
    of(orgId) {
      const known = lists.get(orgId)
      if (!known && !reading.has(orgId)) void read(orgId)
      return known?.policies
    },
    forget(orgId) {
      lists.delete(orgId)
      reading.delete(orgId)
    },
    forgetAll() {
      lists.clear()
      reading.clear()
    },
  }
}
