import * as upstreams from '#sql/ai/upstreams.ts'
import * as usage from '#sql/ai/usage.ts'
import { count, instant } from '../../http/console/format.ts'
import { type Html, html } from '../../http/console/html.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { empty } from '../../http/dashboard/parts.ts'
import { upstreamTable } from '../upstream-table.ts'

/** Where the navigation leads to. */
export const section = {
  title: 'Models',
  path: '/app/models',
  group: 'Knowledge and trust',
  permission: 'usage:read',
} as const satisfies DashboardSection

/** `GET /app/models`: whether models answer, and what language work has cost this month. */
export const overview = page({
  path: '/models',
  summary: 'Whether models answer, and what language work cost this month',
  section,
  permission: 'usage:read',
  async view({ db, member: { orgId } }) {
    const [known, standing, operations] = await Promise.all([
      upstreams.list(db),
      usage.find(db, orgId),
      usage.byOperation(db, orgId),
    ])
    const none = empty(
      'There is no upstream model here.',
      'The embedded engine answers from documents and judges texts; completions and embeddings need a model, which the operator sets up.',
    )
    const main = html`<h1>Models</h1>
${known.length === 0 ? none : upstreamTable(known, 'without counts')}
<section aria-labelledby="month"><h2 id="month">This month</h2>
<p>${count(standing.tokens)} of ${count(standing.budget)} tokens; it begins anew at ${instant(standing.resets_at)} UTC. <a href="/app/usage/ai.tokens">By day, and a budget of your own</a></p>
${operations.length === 0 ? html`<p class="empty">Nothing was asked for yet.</p>` : operationTable(operations)}</section>`
    return { title: 'Models', main }
  },
})

const operationTable = (rows: Awaited<ReturnType<typeof usage.byOperation>>): Html => html`<table class="data stacks">
<caption class="unseen">Language work of this month</caption>
<thead><tr><th scope="col">Operation</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Tokens read</th><th scope="col" class="number">Tokens written</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr><th scope="row">${row.operation}</th><td class="number" data-label="Requests">${count(row.requests)}</td>
<td class="number" data-label="Failed">${count(row.failed)}</td><td class="number" data-label="Tokens read">${count(row.prompt_tokens)}</td>
<td class="number" data-label="Tokens written">${count(row.completion_tokens)}</td></tr>`,
)}</tbody></table>`
