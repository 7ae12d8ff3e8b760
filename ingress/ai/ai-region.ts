import { type CostSum, sumByModel } from '#sql/ai/costs.ts'
import * as overview from '#sql/ai/overview.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import { daysRegion } from '../http/console/day-spans.ts'
import { dataTable } from '../http/html/data-table.ts'
import { count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { byDay, figure, type Plot, percent } from '../http/html/plot.ts'
import { renderTiles } from '../http/html/tiles.ts'
import { isUnpriced, presentCost } from './cost-fields.ts'
import { upstreamTable } from './upstream-table.ts'

const mostOrgs = 30

const mostModels = 200

export const aiRegion = daysRegion(async (db, days) => {
  const [series, orgs, ends, known, costs] = await Promise.all([
    overview.series(db, days),
    overview.listTopOrgs(db, mostOrgs),
    overview.listResults(db, days),
    upstreams.list(db),
    sumByModel(db, days, mostModels),
  ])
  return html`${tiles(series)}<div class="plots">${plots(series).map(figure)}</div>
<section aria-labelledby="upstreams"><h2 id="upstreams">Upstream servers</h2>${known.length === 0 ? html`<p class="empty">No upstream server is connected. With AI_ENGINE=upstream, workers use the models of a server.</p>` : upstreamTable(known, 'with counts')}</section>
<section aria-labelledby="costs"><h2 id="costs">Cost by model</h2>${costs.length === 0 ? html`<p class="empty">No requests in this period.</p>` : costTable(costs)}
<p class="quiet">Set prices with <code>millrace ai set-price</code>.</p></section>
<section aria-labelledby="orgs"><h2 id="orgs">Organisations with the highest usage this month</h2>${orgs.length === 0 ? html`<p class="empty">No usage this month.</p>` : orgTable(orgs)}</section>
<section aria-labelledby="ends"><h2 id="ends">Request results</h2>${ends.length === 0 ? html`<p class="empty">No requests in this period.</p>` : endTable(ends)}</section>`
})

function tiles(series: readonly overview.Day[]): Html {
  const sum = (of: (day: overview.Day) => number) => series.reduce((total, day) => total + of(day), 0)
  const [requests, failed] = [sum((day) => day.requests), sum((day) => day.failed)]
  const shown: [string, string][] = [
    ['requests', count(requests)],
    ['failed', `${count(failed)} (${percent(requests === 0 ? null : failed / requests)})`],
    ['input tokens', count(sum((day) => day.prompt_tokens))],
    ['output tokens', count(sum((day) => day.completion_tokens))],
  ]
  return renderTiles(shown)
}

function plots(series: readonly overview.Day[]): Plot[] {
  const { time, line } = byDay(series)
  return [
    {
      ...time,
      name: 'requests',
      title: 'Requests per day',
      series: [line('requests', (day) => day.requests), line('failed', (day) => day.failed, true)],
    },
    {
      ...time,
      name: 'tokens',
      title: 'Tokens per day',
      series: [line('input', (day) => day.prompt_tokens), line('output', (day) => day.completion_tokens)],
    },
  ]
}

const orgTable = (rows: readonly overview.OrgRow[]): Html =>
  dataTable({ caption: 'Organisations with the highest usage this month', key: (row) => `org-${row.id}` }, rows, {
    Organisation: (row) => html`<span title="${row.id}">${row.name}</span>`,
    Plan: (row) => row.plan,
    Requests: ['number', (row) => count(row.requests)],
    Failed: ['number', (row) => count(row.failed)],
    Tokens: ['number', (row) => count(row.tokens)],
    'Budget used': ['number', (row) => percent(row.budget === 0 ? null : row.tokens / row.budget)],
  })

const costTable = (rows: readonly CostSum[]): Html =>
  dataTable({ caption: 'Cost by model', key: ({ name, currency }) => `cost-${name}-${currency}` }, rows, {
    Model: ['break', ({ name }) => name ?? ''],
    Cost: ['number', (sum) => (isUnpriced(sum) ? 'unknown' : `${presentCost(sum).cost} ${sum.currency ?? ''}`.trim())],
    Requests: ['number', ({ requests }) => count(requests)],
    'Input tokens': ['number', (sum) => count(sum.prompt_tokens)],
    'Output tokens': ['number', (sum) => count(sum.completion_tokens)],
  })

const endTable = (rows: readonly overview.EndRow[]): Html =>
  dataTable({ caption: 'Request results', key: ({ operation, outcome }) => `end-${operation}-${outcome}` }, rows, {
    Operation: ['', ({ operation }) => operation],
    Result: ({ outcome }) => (outcome === 'done' ? mark('done') : html`${mark('failed')} <code>${outcome}</code>`),
    Requests: ['number', ({ requests }) => count(requests)],
    Tokens: ['number', ({ tokens }) => count(tokens)],
  })
