import { area } from '../http/area.ts'

/** Calls by telephone. */
export const voice = area({
  name: 'voice',
  title: 'Voice',
  description: 'Phone numbers, the state of trunks, and calls between two numbers.',
  base: '/v1/voice',
  platform: true,
  routes: {},
})
