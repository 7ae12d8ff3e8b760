import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { bogonTypeOf, bogonTypes } from '#lib/network.ts'
import type { GeoDatabase, GeoSource } from '#tasks/geo/rules/record.ts'
import { Instant } from '../http/instant.ts'
import { Place, placeOf } from './place.ts'

const Source = z.object({
  provider: z
    .enum(['mmdb', 'geoip-lite'])
    .describe('`mmdb`: a file of the operator. `geoip-lite`: data of the npm package.'),
  database: z.string(),
  built_at: Instant.describe('Time when the data was created'),
})

/** An address and what is known of it. */
export const Location = z
  .object({
    ip: z.string().describe('IP address in its shortest form. IPv4 addresses inside IPv6 are returned as IPv4.'),
    version: z.union([z.literal(4), z.literal(6)]),
    bogon: z
      .boolean()
      .describe('True if the address does not exist on the internet. Location and network are then `null`.'),
    bogon_type: z.enum(bogonTypes).nullable(),
    ...Place.shape,
    asn: z.object({ number: z.int(), organization: z.string().nullable() }).nullable(),
    network: z.string().nullable().describe('Network to which all of this data applies. `null` if unknown.'),
    source: Source,
    attribution: z.string(),
  })
  .meta({ id: 'geo.Location' })

/** An address and what is known of it. */
export type Location = z.input<typeof Location>

/** What the licence of the data asks to be shown. */
export const attributionOf = ({ database }: Pick<GeoSource, 'database'>): string =>
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

/** Whose the data are, as answers say it. */
export const sourceOf = ({ provider, database, builtAt }: GeoSource): Location['source'] => ({
  provider,
  database,
  built_at: builtAt,
})

/** The shortest writing of an address, without a zone; null for what is no address. */
export function canonical(text: string): { ip: string; version: 4 | 6 } | null {
  const version = isIP(text)
  // Only dotted quads and colons are addresses here: ipaddr.js alone would take 0x7f.1, too.
  if (version === 4) return { ip: text, version }
  if (version === 0) return null
  // Without a dotted quad at its end: ipaddr.js takes `::9.9.9.9` for `::ffff:9.9.9.9`.
  const plain = new URL(`http://[${text.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const address = ipaddr.process(plain)
  return { ip: address.toString(), version: address.kind() === 'ipv4' ? 4 : 6 }
}

/** Whether anything is known of an address, and what. */
export function locate(
  database: GeoDatabase,
  { ip, version }: { ip: string; version: 4 | 6 },
  language: string,
  source: Location['source'] = sourceOf(database.source()),
): { known: 'ok' | 'bogon' | 'not_found'; location: Location } {
  const found = database.find(ip)
  const bogon = found === null ? bogonTypeOf(ip) : null
  const place = found === null ? nowhere : placeOf(found.record, language)
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
      source,
      attribution: attributionOf(source),
    },
  }
}
