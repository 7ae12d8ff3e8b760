import { area } from '../http/area.ts'

/** What is known of a URL. */
export const trust = area({
  name: 'trust',
  title: 'Trust',
  description: 'What feeds of threats say of a URL, and how fresh they are.',
  base: '/v1/trust',
  platform: true,
  routes: {},
})
