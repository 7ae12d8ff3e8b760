import { basename } from 'node:path'
import type { AsnResponse, CityResponse, Reader } from 'maxmind'
import { getNetwork } from '#lib/network/network.ts'
import type { AutonomousSystem, GeoDatabase, GeoRecord, LocalizedNames } from './record.ts'

/** Maximum number of records in memory. The records of real files take about 1 KB each. */
const mostRecords = 10_000

/**
 * The two steps of a lookup. The reader’s types have only both together. Between them, the records are found by their
 * pointers, because the reader’s own cache takes as long as the search for the address.
 */
interface LookupSteps {
  findAddressInTree(ip: string): [pointer: number | null, prefix: number]
  resolveDataPointer(pointer: number): CityResponse
}

/** Opens MaxMind DB files. When a file is replaced, it is read again. */
export async function openMmdb(city: string, asn: string | undefined): Promise<GeoDatabase> {
  const records = new Map<number, GeoRecord>()
  const [reader, findAsn] = await Promise.all([openReader<CityResponse>(city, () => records.clear()), openAsn(asn)])
  const places = reader as unknown as LookupSteps
  const readRecord = (pointer: number): GeoRecord => {
    const record = recordOf(places.resolveDataPointer(pointer))
    if (records.size >= mostRecords) records.clear()
    records.set(pointer, record)
    return record
  }
  return {
    find(ip) {
      const [pointer, prefix] = places.findAddressInTree(ip)
      const system = findAsn(ip)
      if (pointer === null) return system && { record: nowhere, network: null, asn: system }
      const record = records.get(pointer) ?? readRecord(pointer)
      return { record, network: getNetwork(ip, prefix), asn: system }
    },
    source: () => ({
      provider: 'mmdb',
      database: reader.metadata.databaseType || basename(city),
      builtAt: reader.metadata.buildEpoch,
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

async function openReader<T extends CityResponse | AsnResponse>(path: string, onUpdate = () => {}): Promise<Reader<T>> {
  const { open } = await import('maxmind')
  return await open<T>(path, {
    watchForUpdates: true,
    watchForUpdatesNonPersistent: true,
    watchForUpdatesHook: onUpdate,
  })
}

const nowhere: GeoRecord = {
  place: undefined,
  placeLanguage: undefined,
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
    place: undefined,
    placeLanguage: undefined,
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
  }
}

const namesOf = (place: { names?: object } | undefined): LocalizedNames | null =>
  (place?.names as LocalizedNames | undefined) ?? null
