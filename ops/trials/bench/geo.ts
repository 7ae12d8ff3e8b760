import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CityResponse, open } from 'maxmind'
import { getGeoDatabase } from '#tasks/geo/rules/database.ts'
import { canonicalizeAddress, locateAddress } from '../../../ingress/geo/locate.ts'
import { mmdbOf } from '../../../test/support/mmdb.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'

/** Networks of the file. An eighth of them have a separate record, as in commercial data. */
const networks = { count: 40_000, each: 8 }

export const geo: Benchmark = {
  summary: 'IP lookups per second, compared with the plain reader of the same file',
  options: {
    addresses: { about: 'addresses of a round', default: 200_000 },
    rounds: { about: 'rounds', default: 7 },
  },
  async run({ addresses = 200_000, rounds = 7 }, ends) {
    const file = join(await createBenchmarkFolder(ends), 'city.mmdb')
    await writeFile(file, mmdbOf([...records()]))
    const reader = await open<CityResponse>(file)
    const database = await getGeoDatabase({ city: file })
    const ips = Array.from({ length: addresses }, () => `${randomInt(20, 100)}.${randomInt(256)}.${randomInt(256)}.7`)
    const bare = () => ips.reduce((found, ip) => found + (reader.getWithPrefixLength(ip)[0] ? 1 : 0), 0)
    const ours = () =>
      ips.reduce((found, ip) => {
        const address = canonicalizeAddress(ip)
        return found + (address && locateAddress(database, address, 'en').status === 'ok' ? 1 : 0)
      }, 0)
    if (bare() !== ours()) throw new Error('The two lookups return different results.')
    const found = Array.from({ length: rounds }, () => ({ bare: rate(bare, addresses), ours: rate(ours, addresses) }))
    return {
      comparisons: [
        {
          what: 'IP lookups in the form of responses',
          unit: '/s',
          limit: median(found.map((round) => round.bare)),
          product: median(found.map((round) => round.ours)),
          demand: { atLeast: 0.7 },
        },
      ],
      notes: [`medians of ${rounds} rounds of ${addresses} random addresses; ${networks.count} networks in the file`],
      rounds: found,
    }
  },
}

/** Returns the number of calls per second of CPU time, so that other load does not count. */
function rate(work: () => unknown, times: number): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (times / (user + system)) * 1e6
}

function* records() {
  let record: Parameters<typeof mmdbOf>[0][number][1] = {}
  for (let i = 0; i < networks.count; i++) {
    if (i % networks.each === 0) record = cityOf(i)
    yield [`${20 + (i >> 9)}.${(i >> 1) & 255}.${(i & 1) << 7}.0/17`, record] as const
  }
}

const cityOf = (i: number) => ({
  continent: { code: 'EU', geoname_id: 6_255_148, names: { en: 'Europe', de: 'Europa', fr: 'Europe' } },
  country: { iso_code: 'SE', geoname_id: 2_661_886, names: { en: 'Sweden', de: 'Schweden', fr: 'Suède' } },
  city: { geoname_id: i, names: { en: `Town ${i}`, de: `Stadt ${i}`, fr: `Ville ${i}` } },
  location: { accuracy_radius: 50, latitude: 59.3, longitude: 18.1, time_zone: 'Europe/Stockholm' },
  postal: { code: String(10_000 + (i % 90_000)) },
})
