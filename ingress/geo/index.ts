import { area } from '../http/area.ts'

/** Where an address is. */
export const geo = area({
  name: 'geo',
  title: 'Geo',
  description: 'Where addresses of the internet are.',
  base: '/v1/geo',
  platform: true,
  routes: {},
})
