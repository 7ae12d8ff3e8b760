import { LRUCache } from 'lru-cache'
import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as sites from '#sql/guard/sites.ts'
import { type Services, service } from '../http/container.ts'

/**
 * Time to live of a cached site in milliseconds. A new policy applies on every process within this time and one query.
 */
const freshMs = 3_000

interface KnownSites {
  find(orgId: string, id: string): Promise<sites.Site | null>
}

export const siteCache = service<KnownSites>({
  name: 'guard.known sites',
  open: ({ db }) => createKnownSites(db),
})

function createKnownSites(db: DatabasePool): KnownSites {
  const known = new LRUCache<string, Promise<sites.Site | null>>({ max: 10_000, ttl: freshMs })
  return {
    async find(orgId, id) {
      let asked = known.get(id)
      if (!asked) {
        asked = sites.find(db, orgId, id)
        known.set(id, asked)
        asked.catch(() => known.delete(id))
      }
      return await asked
    },
  }
}

interface SiteCaller extends Pick<Caller, 'key' | 'org'> {
  services: Services
}

/** Returns the site of a public key. Throws 403 if the key has no site or the site was deleted. */
export async function getSite({ key, org, services }: SiteCaller): Promise<sites.Site> {
  const id = key.locks.site_id
  if (id === undefined) throw forbidden('This key does not belong to a site. Use the `site_key` of a site.')
  const site = await services(siteCache).find(org.id, id)
  if (!site) throw forbidden('The site of this key has been deleted.')
  return site
}
