import { area } from '../http/area.ts'

/** Evidence-first articles. */
export const wiki = area({
  name: 'wiki',
  title: 'Wiki',
  description: 'Articles whose claims are proven by snapshots of their sources.',
  base: '/v1/wiki',
  platform: true,
  routes: {},
})
