import { area } from '../http/area.ts'
import * as lookups from './lookups.ts'

/**
 * Where addresses are. Words used here:
 *   place   where a network is: country, region, city
 *   bogon   an address that is nowhere on the internet
 *   source  whose the data are, and how old
 */
export const geo = area({
  name: 'geo',
  title: 'Geo',
  description: 'Locations of IP addresses.',
  base: '/v1/geo',
  platform: true,
  services: [lookups.addresses],
  routes: { lookups },
})
