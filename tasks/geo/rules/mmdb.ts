import { basename } from 'node:path'
import type { AsnResponse, CityResponse, Reader } from 'maxmind'
import { getNetwork } from '#lib/network/network.ts'
import type { AutonomousSystem, GeoDatabase, GeoRecord, LocalizedNames } from './record.ts'

const made = Symbol('record')

/**
 * The reader returns the same object for a record while the record is cached, so derived data is cached in that object.
 */
type KeptResponse = CityResponse & { [made]?: GeoRecord }

/** Opens MaxMind DB files. When a file is replaced, it is read again. */
export async function openMmdb(city: string, asn: string | undefined): Promise<GeoDatabase> {
  const [places, findAsn] = await Promise.all([openReader<KeptResponse>(city), openAsn(asn)])
  return {
    find(ip) {
      const [response, prefix] = places.getWithPrefixLength(ip)
      const system = findAsn(ip)
      if (response === null) return system && { record: nowhere, network: null, asn: system }
      let record = response[made]
      if (!record) {
        record = recordOf(response)
        response[made] = record
      }
      return { record, network: getNetwork(ip, prefix), asn: system }
    },
    source: () => ({
      provider: 'mmdb',
      database: places.metadata.databaseType || basename(city),
      builtAt: places.metadata.buildEpoch,
    }),
  }
}

/** Opens the file of autonomous systems. Without a file, no autonomous system is returned. */
export async function openAsn(path: string | undefined): Promise<(ip: string) => AutonomousSystem | null> {
  if (path === undefined) return () => null
  const reader = await openReader<AsnResponse>(path)
  return (ip) => {
    const found = reader.get(ip)
    if (!found?.autonomous_system_number) return null
    return {
      number: found.autonomous_system_number,
      organization: found.autonomous_system_organization ?? null,
    }
  }
}

async function openReader<T extends CityResponse | AsnResponse>(path: string): Promise<Reader<T>> {
  const { open } = await import('maxmind')
  return await open<T>(path, { watchForUpdates: true, watchForUpdatesNonPersistent: true })
}

const nowhere: GeoRecord = {
  words: new Map(),
  continent: null,
  country: null,
  region: null,
  city: null,
  postalCode: null,
  location: null,
  timezone: null,
}

function recordOf(response: CityResponse): GeoRecord {
  const [region] = response.subdivisions ?? []
  const { location } = response
  return {
    continent: response.continent?.code ?? null,
    country: response.country?.iso_code ?? null,
    region: region ? { code: region.iso_code, names: namesOf(region) ?? {} } : null,
    city: namesOf(response.city),
    postalCode: response.postal?.code ?? null,
    location:
      location?.latitude === undefined || location.longitude === undefined
        ? null
        : { latitude: location.latitude, longitude: location.longitude, radius: location.accuracy_radius ?? null },
    timezone: location?.time_zone ?? null,
    words: new Map(),
  }
}

const namesOf = (place: { names?: object } | undefined): LocalizedNames | null =>
  (place?.names as LocalizedNames | undefined) ?? null
