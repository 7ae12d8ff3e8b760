/** A name in several languages (BCP 47); `en` is there whenever any is. */
export type Names = Readonly<Record<string, string>>

/** What the data say of a network, the same object for all of its addresses as long as the reader keeps it. */
export interface GeoRecord {
  /** Two letters of the continent: AF, AN, AS, EU, NA, OC, SA. */
  continent: string | null
  /** ISO 3166-1 alpha-2, or XK. */
  country: string | null
  region: { code: string; names: Names } | null
  city: Names | null
  postalCode: string | null
  /** The middle of what is meant, never the address's own place; the radius in kilometres is where it may be. */
  location: { latitude: number; longitude: number; radius: number | null } | null
  timezone: string | null
  /** What answers say of it, kept beside it by their language; the record lives as long as the reader keeps it. */
  readonly words: Map<string, unknown>
}

/** Who has a network. */
export interface AutonomousSystem {
  number: number
  organization: string | null
}

/** An address that is in the data. */
export interface GeoMatch {
  record: GeoRecord
  /** The network that all of this holds for, in CIDR notation; null where the data do not say. */
  network: string | null
  asn: AutonomousSystem | null
}

/** Whose the data are, and how old. */
export interface GeoSource {
  provider: 'mmdb' | 'geoip-lite'
  database: string
  builtAt: Date
}

/** Data about where addresses are. */
export interface GeoDatabase {
  /** What is known of an IPv4 or IPv6 address; null when nothing is. */
  find(ip: string): GeoMatch | null
  source(): GeoSource
}
