import { log } from '../log.ts'
import { openMmdb } from './mmdb.ts'
import { openPackaged } from './packaged.ts'

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
}

/** Who has a network. */
export interface AutonomousSystem {
  number: number
  organization: string | null
}

/** An address that is in the data. */
export interface Found {
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
  find(ip: string): Found | null
  source(): GeoSource
}

/** The files that the data are read from; without `city`, the data of an npm package are used. */
export interface GeoFiles {
  city?: string | undefined
  asn?: string | undefined
}

const opened = new Map<string, Promise<GeoDatabase>>()

/** The data of these files, read once a process, at the first call: the packaged ones take 0.1 s and 110 MB. */
export function geoDatabase(files: GeoFiles): Promise<GeoDatabase> {
  const name = JSON.stringify([files.city, files.asn])
  let opening = opened.get(name)
  if (!opening) {
    opening = open(files).catch((error: Error) => {
      opened.delete(name)
      log.error({ err: error.message }, 'the data about addresses cannot be read')
      throw error
    })
    opened.set(name, opening)
  }
  return opening
}

const open = async ({ city, asn }: GeoFiles): Promise<GeoDatabase> =>
  city === undefined ? await openPackaged(asn) : await openMmdb(city, asn)
