import * as overview from '#sql/bots/overview.ts'
import { daysRegion } from '../http/console/day-spans.ts'
import { dataTable } from '../http/html/data-table.ts'
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

const botTable = (rows: readonly overview.BotRow[]): Html =>
  dataTable({ caption: 'Bots with the most questions', key: (row) => `bot-${row.id}` }, rows, {
    Bot: (row) => html`<span title="${row.id}">${row.name} <span class="quiet">${row.slug}</span></span>`,
    Organisation: ['break', (row) => row.org],
    Status: (row) => html`${row.published ? 'published' : 'draft'}, version ${row.version}`,
    Documents: ['number', (row) => count(row.documents)],
    Conversations: ['number', (row) => count(row.conversations)],
    Answers: [
      'number',
      (row) =>
        html`${count(row.answered)}${row.withheld > 0 && html` <span class="quiet">${count(row.withheld)} withheld</span>`}`,
    ],
    Failed: ['number', (row) => count(row.failed)],
    Median: ['number', (row) => (row.seconds === null ? '–' : duration(row.seconds))],
  })

const failureTable = (rows: readonly overview.Failure[]): Html =>
  dataTable(
    { caption: 'Reasons for missing answers', key: (row) => `failure-${row.code}-${row.upstream_status}` },
    rows,
    {
      Reason: ['', (row) => row.code],
      'Upstream response': (row) => row.upstream_status ?? 'none',
      Count: ['number', (row) => count(row.count)],
      Last: (row) => ago(row.last_at),
    },
  )
