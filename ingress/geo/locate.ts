import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { bogonTypes, getBogonType } from '#lib/network/network.ts'
import type { GeoDatabase, GeoSource } from '#tasks/geo/rules/record.ts'
import { Instant } from '../http/instant.ts'
import { findFlags, presentLists, ShownFlags, ShownLists } from './flags.ts'
import { getPlace, Place } from './place.ts'

const Source = z.object({
  provider: z
    .enum(['mmdb', 'geoip-lite'])
    .describe('`mmdb`: a file of the operator. `geoip-lite`: data from the npm package.'),
  database: z.string(),
  built_at: Instant.describe('Time when the data was created'),
})

export const Location = z
  .object({
    ip: z.string().describe('IP address in its shortest form. IPv4 addresses inside IPv6 are returned as IPv4.'),
    version: z.union([z.literal(4), z.literal(6)]),
    bogon: z
      .boolean()
      .describe('True if the address is not used on the public internet. Location and network are then `null`.'),
    bogon_type: z.enum(bogonTypes).nullable(),
    ...Place.shape,
    asn: z.object({ number: z.int(), organization: z.string().nullable() }).nullable(),
    network: z.string().nullable().describe('Network that all of this data applies to. `null` if unknown.'),
    flags: ShownFlags,
    source: Source,
    lists: ShownLists,
    attribution: z.string(),
  })
  .meta({ id: 'geo.Location' })

export type Location = z.input<typeof Location>

export const getAttribution = ({ database }: Pick<GeoSource, 'database'>): string =>
  database.startsWith('DBIP-')
    ? 'IP Geolocation by DB-IP, https://db-ip.com.'
    : 'This product includes GeoLite data created by MaxMind, available from https://www.maxmind.com.'

const nowhere: Place = {
  continent: null,
  country: null,
  region: null,
  city: null,
  postal_code: null,
  location: null,
  timezone: null,
}

export const presentSource = ({ provider, database, builtAt }: GeoSource): Location['source'] => ({
  provider,
  database,
  built_at: builtAt,
})

/** Returns the shortest form of an IP address, without a zone. Returns `null` if the text is not an IP address. */
export function canonicalizeAddress(text: string): { ip: string; version: 4 | 6 } | null {
  const version = isIP(text)
  // Accepts only dotted quads and colons, although ipaddr.js also accepts 0x7f.1.
  if (version === 4) return { ip: text, version }
  if (version === 0) return null
  // Converts a dotted quad at the end to hexadecimal, because ipaddr.js reads `::9.9.9.9` as `::ffff:9.9.9.9`.
  const plain = new URL(`http://[${text.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const address = ipaddr.process(plain)
  return { ip: address.toString(), version: address.kind() === 'ipv4' ? 4 : 6 }
}

export function locateAddress(
  database: GeoDatabase,
  { ip, version }: { ip: string; version: 4 | 6 },
  language: string,
  source: Location['source'] = presentSource(database.source()),
): { known: 'ok' | 'bogon' | 'not_found'; location: Location } {
  const found = database.find(ip)
  const bogon = found === null ? getBogonType(ip) : null
  const place = found === null ? nowhere : getPlace(found.record, language)
  return {
    known: found === null ? (bogon === null ? 'not_found' : 'bogon') : 'ok',
    location: {
      ip,
      version,
      bogon: bogon !== null,
      bogon_type: bogon,
      continent: place.continent,
      country: place.country,
      region: place.region,
      city: place.city,
      postal_code: place.postal_code,
      location: place.location,
      timezone: place.timezone,
      asn: found?.asn ?? null,
      network: found?.network ?? null,
      flags: findFlags(database, ip, found?.asn?.number ?? null),
      source,
      lists: presentLists(database),
      attribution: getAttribution(source),
    },
  }
}
