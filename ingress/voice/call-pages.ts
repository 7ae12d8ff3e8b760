import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const calls = { title: 'Calls', path: '/ops/calls', group: 'Messaging' } as const

export const overview = page({
  path: '/calls',
  summary: 'Show calls and trunks',
  section: calls,
  async view({ region }) {
    return { title: 'Calls', main: html`<h1>Calls</h1>${await region('calls')}` }
  },
})
