import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import { findLinkOwner, type LinkOwner } from '#sql/email/link-owners.ts'
import { service } from '../../http/container.ts'

export interface LinkOwners {
  /** Returns the settings of a domain. Null if it was deleted or its organisation is closed. */
  find(domainId: string): Promise<LinkOwner | null>
}

/** Time in milliseconds for which links of a deleted domain can still work. */
const freshMs = 15_000

export const linkOwners = service<LinkOwners>({
  name: 'email.link-owners',
  open: ({ db }) => createLinkOwners(db),
})

function createLinkOwners(db: DatabasePool): LinkOwners {
  const known = new LRUCache<string, { found: Promise<LinkOwner | null> }>({ max: 10_000, ttl: freshMs })
  return {
    async find(domainId) {
      const before = known.get(domainId)
      if (before) return await before.found
      const found = findLinkOwner(db, domainId)
      known.set(domainId, { found })
      found.catch(() => known.delete(domainId))
      return await found
    },
  }
}
