import { area } from '../http/area.ts'
import * as lookupPages from './dashboard/lookup.ts'
import * as lookups from './lookups.ts'

/**
 * Locations of IP addresses.
 *
 * Terms:
 * - place: location of a network: country, region, city
 * - bogon: an address that does not exist on the internet
 * - source: provider and age of the data
 */
export const geo = area({
  name: 'geo',
  title: 'Geo',
  description: 'Locations of IP addresses.',
  base: '/v1/geo',
  platform: true,
  services: [lookups.addresses],
  routes: { lookups },
  dashboard: { sections: [lookupPages.section], pages: { lookupPages } },
})
