import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { actions } from '#sql/jobs/controls.ts'
import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'
import { cutPage } from '../http/html/paging.ts'
import { actionsTable } from './regions/recent.ts'
import { sections } from './sections.ts'

const perPage = 100

export const list = page({
  path: '/actions',
  summary: 'List operator actions',
  section: sections.actions,
  query: z.object({ before: Id.optional() }),
  async view({ db, query: { before } }) {
    const found = await actions(db, { limit: perPage + 1, ...(before ? { before } : {}) })
    const { shown, older } = cutPage(found, perPage)
    const main = html`<h1>Actions</h1>
<p class="lead">Operator actions in the console and with <code>npx millrace</code>, newest first.</p>
${shown.length === 0 ? html`<p class="empty">Operator actions appear here${before && ' before that'}.</p>` : actionsTable(shown)}
${older('/ops/actions')}`
    return { title: 'Actions', main }
  },
})
