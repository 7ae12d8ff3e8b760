import * as overview from '#sql/bots/overview.ts'
import { daysRegion } from '../http/console/day-spans.ts'
import { ago, count, duration } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { byDay, figure, type Plot, percent } from '../http/html/plot.ts'
import { renderTiles } from '../http/html/tiles.ts'

const most = 50

export const botsRegion = daysRegion(async (db, days) => {
  const [series, pending, bots, failures] = await Promise.all([
    overview.series(db, days),
    overview.pending(db),
    overview.bots(db, days, most),
    overview.failures(db, days, most),
  ])
  return html`${tiles(series, pending)}<div class="plots">${plots(series).map(figure)}</div>
<section aria-labelledby="bots"><h2 id="bots">Bots with the most questions</h2>${bots.length === 0 ? html`<p class="empty">No bots yet.</p>` : botTable(bots)}</section>
<section aria-labelledby="failures"><h2 id="failures">Reasons for missing answers</h2>${failures.length === 0 ? html`<p class="empty">No failed answers.</p>` : failureTable(failures)}</section>`
})

function tiles(series: readonly overview.Day[], pending: { count: number; oldest: Date | null }): Html {
  const sum = (of: (day: overview.Day) => number) => series.reduce((total, day) => total + of(day), 0)
  const [answered, failed] = [sum((day) => day.answered), sum((day) => day.failed)]
  const share = answered + failed === 0 ? null : failed / (answered + failed)
  const shown: [string, string | Html][] = [
    ['conversations started', count(sum((day) => day.conversations))],
    ['answers', count(answered)],
    ['failed', `${count(failed)} (${percent(share)})`],
    ['pending', pending.oldest ? html`${count(pending.count)}, the oldest ${ago(pending.oldest)}` : '0'],
  ]
  return renderTiles(shown)
}

function plots(series: readonly overview.Day[]): Plot[] {
  const { time, line } = byDay(series)
  return [
    {
      ...time,
      name: 'answers',
      title: 'Answers per day',
      series: [line('conversations', (day) => day.conversations), line('answers', (day) => day.answered)],
    },
    { ...time, name: 'failed', title: 'Failed', series: [line('failed', (day) => day.failed, true)] },
  ]
}

const botTable = (rows: readonly overview.BotRow[]): Html => html`<table class="data stacks">
<caption class="unseen">Bots with the most questions</caption>
<thead><tr><th scope="col">Bot</th><th scope="col">Organisation</th><th scope="col">Status</th><th scope="col" class="number">Documents</th>
<th scope="col" class="number">Conversations</th><th scope="col" class="number">Answers</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Median</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="bot-${row.id}"><th scope="row" class="break" title="${row.id}">${row.name} <span class="quiet">${row.slug}</span></th>
<td class="break" data-label="Organisation">${row.org}</td><td data-label="Status">${row.published ? 'published' : 'draft'}, version ${row.version}</td>
<td class="number" data-label="Documents">${count(row.documents)}</td><td class="number" data-label="Conversations">${count(row.conversations)}</td>
<td class="number" data-label="Answers">${count(row.answered)}${row.withheld > 0 && html` <span class="quiet">${count(row.withheld)} withheld</span>`}</td>
<td class="number" data-label="Failed">${count(row.failed)}</td><td class="number" data-label="Median">${row.seconds === null ? '–' : duration(row.seconds)}</td></tr>`,
)}</tbody></table>`

const failureTable = (rows: readonly overview.Failure[]): Html => html`<table class="data stacks">
<caption class="unseen">Reasons for missing answers</caption>
<thead><tr><th scope="col">Reason</th><th scope="col">Upstream response</th><th scope="col" class="number">Count</th><th scope="col">Last</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="failure-${row.code}-${row.upstream_status}"><th scope="row">${row.code}</th><td data-label="Upstream response">${row.upstream_status ?? 'none'}</td>
<td class="number" data-label="Count">${count(row.count)}</td><td data-label="Last">${ago(row.last_at)}</td></tr>`,
)}</tbody></table>`
