import * as upstreams from '#sql/ai/upstreams.ts'
import * as usage from '#sql/ai/usage.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { recentUse } from '../../http/dashboard/recent-use.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { upstreamTable } from '../upstream-table.ts'

export const section = {
  title: 'Models',
  path: '/app/models',
  group: 'Bots and knowledge',
  guide: 'ai',
  permission: 'usage:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/models',
  summary: 'Show models and AI usage this month',
  section,
  permission: 'usage:read',
  async view({ db, may, member: { orgId } }) {
    const [known, standing, operations] = await Promise.all([
      upstreams.list(db),
      usage.find(db, orgId),
      usage.byOperation(db, orgId),
    ])
    const none = emptyState(
      'No upstream model is connected.',
      'The embedded engine answers from documents and moderates text. For completions and embeddings, the operator must connect a model.',
    )
    const main = html`<div class="title"><h1>Models</h1>${may('areas:write') && html`<a class="button primary" href="/app/models/try">Try a model</a>`}</div>
${known.length === 0 ? none : upstreamTable(known, 'without counts')}
<section aria-labelledby="month"><h2 id="month">This month</h2>
<p>${count(standing.tokens)} of ${count(standing.budget)} tokens. The count resets at ${formatInstant(standing.resets_at)} UTC. <a href="/app/usage/ai.tokens">Daily usage and your own budget</a> · <a href="/app/models/costs">Cost by model, key and day</a></p>
${operations.length === 0 ? html`<p class="empty">No requests yet.</p>` : operationTable(operations)}</section>
${await recentUse(db, orgId, 'ai')}`
    return { title: 'Models', main }
  },
})

const operationTable = (rows: Awaited<ReturnType<typeof usage.byOperation>>): Html =>
  dataTable('AI usage this month', rows, {
    Operation: ['', (row) => row.operation],
    Requests: ['number', (row) => count(row.requests)],
    Failed: ['number', (row) => count(row.failed)],
    'Input tokens': ['number', (row) => count(row.prompt_tokens)],
    'Output tokens': ['number', (row) => count(row.completion_tokens)],
  })
