import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const rooms = { title: 'Rooms', path: '/ops/rooms', group: 'Media' } as const

export const overview = page({
  path: '/rooms',
  summary: 'Show rooms and their workers',
  section: rooms,
  async view({ region }) {
    return { title: 'Rooms', main: html`<h1>Rooms</h1>${await region('rooms')}` }
  },
})
