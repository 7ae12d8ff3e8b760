import { html } from './html.ts'
import { page } from './page.ts'
import { region } from './topics.ts'

/** `GET /ops/workers`: hosts and the workers on them. */
export const show = page({
  path: '/workers',
  summary: 'Hosts and their workers',
  section: 'workers',
  async view({ db }) {
    return { title: 'Workers', main: html`<h1>Workers</h1>${await region(db, 'workers')}` }
  },
})
