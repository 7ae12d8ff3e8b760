import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { bogonTypes, getBogonType } from '#lib/network/network.ts'
import type { GeoDatabase } from '#tasks/geo/rules/record.ts'
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

const getAttribution = (database: string): string =>
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

/** Returns the fields that all locations of one response share. */
export function presentData(database: GeoDatabase): Pick<Location, 'source' | 'lists' | 'attribution'> {
  const { provider, database: name, builtAt } = database.source()
  return {
    source: { provider, database: name, built_at: builtAt },
    lists: presentLists(database),
    attribution: getAttribution(name),
  }
}

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

/** A location without the fields of `presentData`. */
export interface LocatedAddress extends Omit<Location, keyof ReturnType<typeof presentData>> {
  status: 'ok' | 'bogon' | 'not_found'
}

export function locateAddress(
  database: GeoDatabase,
  { ip, version }: { ip: string; version: 4 | 6 },
  language: string,
): LocatedAddress {
  const found = database.find(ip)
  const bogon = found === null ? getBogonType(ip) : null
  const place = found === null ? nowhere : getPlace(found.record, language)
  return {
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
    status: found === null ? (bogon === null ? 'not_found' : 'bogon') : 'ok',
  }
}
