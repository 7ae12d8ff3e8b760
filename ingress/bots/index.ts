import { area } from '../http/area.ts'

/** Bots and conversations with them. */
export const bots = area({
  name: 'bots',
  title: 'Bots',
  description: 'Bots that answer from their documents, their templates, and conversations that are kept.',
  base: '/v1/bots',
  platform: true,
  routes: {},
})
