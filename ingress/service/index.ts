import { area } from '../http/area.ts'
import * as challenges from './challenges.ts'
import * as health from './health.ts'
import * as security from './security.ts'

export const service = area({
  name: 'service',
  title: 'Service',
  description: 'Probes for operators.',
  base: '',
  routes: { health, challenges, security },
})
