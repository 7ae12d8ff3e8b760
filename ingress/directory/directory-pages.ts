import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const section = { title: 'Directory', path: '/ops/directory', group: 'Media' } as const

export const overview = page({
  path: '/directory',
  summary: 'List public videos and channels',
  section,
  async view({ region }) {
    return { title: 'Directory', main: html`<h1>Directory</h1>${await region('directory')}` }
  },
})
