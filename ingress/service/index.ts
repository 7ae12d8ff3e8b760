import { area } from '../http/area.ts'
import * as challenges from './challenges.ts'
import * as health from './health.ts'

/** The ingress itself: what operators and browsers ask, none of it part of the API. */
export const service = area({
  name: 'service',
  title: 'Service',
  description: 'Probes for operators.',
  base: '',
  routes: { health, challenges },
})
