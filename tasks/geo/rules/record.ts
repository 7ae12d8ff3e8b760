import type { FlagLists } from './address-flags.ts'

/** A name in several languages (BCP 47). `en` is present if any is. */
export type LocalizedNames = Readonly<Record<string, string>>

/** Data about a network. All addresses of the network share one object while it is cached. */
export interface GeoRecord {
  /** Continent code: AF, AN, AS, EU, NA, OC, SA. */
  continent: string | null
  /** Country code: ISO 3166-1 alpha-2, or XK. */
  country: string | null
  region: { code: string; names: LocalizedNames } | null
  city: LocalizedNames | null
  postalCode: string | null
  /** Centre of the place, never the address’s own location. The address is within the radius, in kilometres. */
  location: { latitude: number; longitude: number; radius: number | null } | null
  timezone: string | null
  /** The record in the form of a response, in `placeLanguage`, the language of the last lookup. */
  place: unknown
  placeLanguage: string | undefined
}

export interface AutonomousSystem {
  number: number
  organization: string | null
}

export interface GeoMatch {
  record: GeoRecord
  /** Network of the match in CIDR notation. `null` if the data does not contain it. */
  network: string | null
  asn: AutonomousSystem | null
}

export interface GeoSource {
  provider: 'mmdb' | 'geoip-lite'
  database: string
  builtAt: Date
}

export interface GeoDatabase {
  /** Returns the match for an IPv4 or IPv6 address. `null` if the data has no match. */
  find(ip: string): GeoMatch | null
  source(): GeoSource
  /** Lists of the operator. Undefined without lists. */
  flags?: FlagLists | undefined
}
