import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as customers from '#sql/account/customers.ts'
import * as plans from '#sql/account/plans.ts'
import { page } from '../../http/console/page.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { cutPage, optionalText, orgLink, select } from './parts.ts'
import { sections } from './sections.ts'

const perPage = 50

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
    const { shown, older } = cutPage(found, perPage)
    const all = byPlan.reduce((sum, plan) => sum + plan.count, 0)
    const planNames = known.map(({ name }) => [name, name] as const)
    const main = html`<h1>Organisations</h1>
${renderTiles([['All', count(all)], ...byPlan.slice(0, 6).map((one) => [`On the ${one.plan} plan`, count(one.count)] as const)])}
<form class="filter" action="/ops/organisations" role="search">
<div class="wide"><label for="search">Name or ID</label>
<input id="search" name="search" type="search" value="${chosen.search}" maxlength="200" spellcheck="false"></div>
${select('plan', 'Plan', chosen.plan, [['', 'all plans'], ...planNames])}
<div class="send"><button>Search</button> <a href="/ops/organisations">Clear filters</a></div></form>
${shown.length === 0 ? html`<p class="empty">No organisations match these filters.</p>` : table(shown)}
${older('/ops/organisations', chosen)}`
    return { title: 'Organisations', main }
  },
})

const table = (shown: readonly customers.Listed[]): Html => html`<table class="data stacks">
<caption class="unseen">Organisations</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Plan</th><th scope="col" class="number">API keys</th>
<th scope="col" class="number">Members</th><th scope="col">Created</th><th scope="col">Id</th></tr></thead>
<tbody>${shown.map(
  (
    org,
  ) => html`<tr><th scope="row" class="break">${orgLink(org.id, org.name)}</th><td data-label="Plan">${org.plan}</td>
<td class="number" data-label="API keys">${count(org.keys)}</td><td class="number" data-label="Members">${count(org.members)}</td>
<td data-label="Created">${ago(org.created_at)}</td><td class="wide"><span class="id">${org.id}</span></td></tr>`,
)}</tbody></table>`
