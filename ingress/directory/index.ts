import { area } from '../http/area.ts'

/** The directory of what is public. */
export const directory = area({
  name: 'directory',
  title: 'Streaming directory',
  description: 'Channels, videos, shorts and live streams that are public.',
  base: '/v1/streaming',
  platform: true,
  routes: {},
})
