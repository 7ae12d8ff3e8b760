import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'
import { sections } from './sections.ts'

export const show = page({
  path: '/workers',
  summary: 'List hosts and their workers',
  section: sections.workers,
  async view({ region }) {
    return { title: 'Workers', main: html`<h1>Workers</h1>${await region('workers')}` }
  },
})
