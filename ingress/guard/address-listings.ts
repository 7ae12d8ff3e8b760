import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import * as entries from '#sql/trust/entries.ts'
import * as listings from '#sql/trust/listings.ts'
import { hashExpression } from '#sql/trust/safe-browsing/expressions.ts'
import { service } from '../http/container.ts'

export interface AddressListing {
  lists: string[]
  policy: 'allow' | 'deny' | undefined
}

interface AddressListings {
  find(orgId: string, ip: string): Promise<AddressListing>
}

/** Time to live of a cached result in milliseconds. Feeds change every hour. */
const freshMs = 60_000

export const addressListings = service<AddressListings>({
  name: 'guard.listed addresses',
  open: ({ db }) => createListedAddresses(db),
})

function createListedAddresses(db: DatabasePool): AddressListings {
  const known = new LRUCache<string, Promise<AddressListing>>({ max: 10_000, ttl: freshMs })
  return {
    find(orgId, ip) {
      const key = `${orgId} ${ip}`
      let asked = known.get(key)
      if (!asked) {
        asked = lookUp(db, orgId, ip)
        known.set(key, asked)
        asked.catch(() => known.delete(key))
      }
      return asked
    },
  }
}

/** Looks up an IP address as the host of a URL, because threat feeds list attacking machines in this way. */
async function lookUp(db: DatabasePool, orgId: string, ip: string): Promise<AddressListing> {
  const host = ip.includes(':') ? `[${ip}]` : ip
  const text = `${host}/`
  const [sources, [policy]] = await Promise.all([
    entries.findMatches(db, [{ text, hash: hashExpression(text), exact: true }]),
    listings.listNearestPolicies(db, orgId, [host]),
  ])
  const lists = sources.flatMap(({ name, matches }) => (matches.some(({ isPrefix }) => !isPrefix) ? [name] : []))
  return { lists, policy: policy ?? undefined }
}
