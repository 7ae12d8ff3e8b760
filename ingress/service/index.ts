import { area } from '../http/area.ts'
import * as challenges from './challenges.ts'
import * as health from './health.ts'

export const service = area({
  name: 'service',
  title: 'Service',
  description: 'Probes for operators.',
  base: '',
  routes: { health, challenges },
})
