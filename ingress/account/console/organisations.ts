import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as customers from '#sql/account/customers.ts'
import * as plans from '#sql/account/plans.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { shortId } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { optionalText, orgLink } from './parts.ts'
import { sections } from './sections.ts'

export const list = page({
  path: '/organisations',
  summary: 'List organisations',
  section: sections.organisations,
  query: z.object({ search: optionalText(200), plan: optionalText(100), before: Id.optional() }),
  async view({ db, query: { before, ...chosen } }) {
    const [found, byPlan, known] = await Promise.all([
      customers.list(db, { ...chosen, before, limit: perPage + 1 }),
      customers.countByPlan(db),
      plans.list(db),
    ])
    const { shown, older } = cutPage(found)
    const all = byPlan.reduce((sum, plan) => sum + plan.count, 0)
    const main = html`<h1>Organisations</h1>
${renderTiles([['All', count(all)], ...byPlan.slice(0, 6).map((one) => [`On the ${one.plan} plan`, count(one.count)] as const)])}
${filterForm(
  [
    { name: 'search', label: 'Name or ID', type: 'search', most: 200 },
    { name: 'plan', label: 'Plan', any: 'all plans', options: known.map(({ name }) => name) },
  ],
  chosen,
  { button: 'Search', clear: '/ops/organisations' },
)}
${shown.length === 0 ? html`<p class="empty">No organisations match these filters.</p>` : table(shown)}
${older('/ops/organisations', chosen)}`
    return { title: 'Organisations', main }
  },
})

const table = (shown: readonly customers.Listed[]): Html =>
  dataTable('Organisations', shown, {
    Name: (org) => orgLink(org.id, org.name),
    Plan: (org) => org.plan,
    'API keys': ['number', (org) => count(org.keys)],
    Members: ['number', (org) => count(org.members)],
    Created: (org) => ago(org.created_at),
    ID: (org) => shortId(org.id, { of: 'the organisation ID' }),
  })
