import { area } from '../http/area.ts'
import { statusBoard } from './board.ts'
import * as report from './report.ts'

export const status = area({
  name: 'status',
  title: 'Status',
  description: 'The state of each area, its history and incidents.',
  base: '',
  services: [statusBoard],
  routes: { report },
})
