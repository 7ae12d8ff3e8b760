import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const live = { title: 'Live', path: '/ops/broadcasts', group: 'Media' } as const

export const overview = page({
  path: '/broadcasts',
  summary: 'Show broadcasts in progress',
  section: live,
  async view({ region }) {
    return { title: 'Live', main: html`<h1>Live</h1>${await region('broadcasts')}` }
  },
})
