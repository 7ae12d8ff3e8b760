import * as overview from '#sql/ai/overview.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import { daysRegion } from '../http/console/day-spans.ts'
import { count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { byDay, figure, type Plot, percent } from '../http/html/plot.ts'
import { renderTiles } from '../http/html/tiles.ts'
import { upstreamTable } from './upstream-table.ts'

const mostOrgs = 30

export const aiRegion = daysRegion(async (db, days) => {
  const [series, orgs, ends, known] = await Promise.all([
    overview.series(db, days),
    overview.listTopOrgs(db, mostOrgs),
    overview.listResults(db, days),
    upstreams.list(db),
  ])
  return html`${tiles(series)}<div class="plots">${plots(series).map(figure)}</div>
<section aria-labelledby="upstreams"><h2 id="upstreams">Upstream servers</h2>${known.length === 0 ? html`<p class="empty">No upstream server is connected. With AI_ENGINE=upstream, workers use the models of a server.</p>` : upstreamTable(known, 'with counts')}</section>
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

const orgTable = (rows: readonly overview.OrgRow[]): Html => html`<table class="data stacks">
<caption class="unseen">Organisations with the highest usage this month</caption>
<thead><tr><th scope="col">Organisation</th><th scope="col">Plan</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Failed</th>
<th scope="col" class="number">Tokens</th><th scope="col" class="number">Budget used</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="org-${row.id}"><th scope="row" class="break" title="${row.id}">${row.name}</th><td data-label="Plan">${row.plan}</td>
<td class="number" data-label="Requests">${count(row.requests)}</td><td class="number" data-label="Failed">${count(row.failed)}</td>
<td class="number" data-label="Tokens">${count(row.tokens)}</td><td class="number" data-label="Budget used">${percent(row.budget === 0 ? null : row.tokens / row.budget)}</td></tr>`,
)}</tbody></table>`

const endTable = (rows: readonly overview.EndRow[]): Html => html`<table class="data stacks">
<caption class="unseen">Request results</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Result</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Tokens</th></tr></thead>
<tbody>${rows.map(
  ({
    operation,
    outcome,
    requests,
    tokens,
  }) => html`<tr data-key="end-${operation}-${outcome}"><th scope="row">${operation}</th>
<td data-label="Result">${outcome === 'done' ? mark('done') : html`${mark('failed')} <code>${outcome}</code>`}</td>
<td class="number" data-label="Requests">${count(requests)}</td><td class="number" data-label="Tokens">${count(tokens)}</td></tr>`,
)}</tbody></table>`
