import { area } from '../http/area.ts'

/** What makes automated abuse costly. */
export const guard = area({
  name: 'guard',
  title: 'Guard',
  description: 'Proof-of-work challenges and single-use tokens that make automated abuse costly.',
  base: '/v1/guard',
  routes: {},
})
