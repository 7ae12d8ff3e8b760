import * as overview from '#sql/voice/overview.ts'
import * as trunks from '#sql/voice/trunks.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count, duration } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { renderTiles } from '../http/html/tiles.ts'

const most = 50

export const callRegion: Region = {
  everyMs: 2_000,
  async read(db) {
    const [counts, known, boards, latest] = await Promise.all([
      overview.counts(db),
      trunks.latest(db),
      overview.boards(db),
      overview.latest(db, most),
    ])
    const tiles: [string, number][] = [
      ['active', counts.up],
      ['completed in 24 hours', counts.completed],
      ['not answered', counts.unanswered],
      ['failed', counts.failed],
    ]
    return html`${renderTiles(tiles.map(([name, value]) => [name, count(value)] as const))}
<section aria-labelledby="trunks"><h2 id="trunks">Trunks</h2>${known.length === 0 ? html`<p class="empty">No worker has a trunk. Set SIP_TRUNKS.</p>` : trunkTable(known)}</section>
<section aria-labelledby="boards"><h2 id="boards">Workers</h2>${boards.length === 0 ? html`<p class="empty">No voice worker is running.</p>` : boardTable(boards)}</section>
<section aria-labelledby="latest"><h2 id="latest">Recent calls</h2>${latest.length === 0 ? html`<p class="empty">No calls yet.</p>` : callTable(latest)}</section>`
  },
}

const trunkTable = (rows: Awaited<ReturnType<typeof trunks.latest>>): Html =>
  dataTable(
    'Trunks',
    rows,
    [
      { title: 'Trunk', style: '', cell: (row) => row.name },
      {
        title: 'Status',
        cell: (row) => (row.reachable ? html`${mark('alive')} reachable` : html`${mark('lost')} ${row.last_error}`),
      },
      { title: 'Round trip', style: 'number', cell: (row) => (row.rtt_ms === null ? '–' : `${row.rtt_ms} ms`) },
      { title: 'Checked', cell: (row) => ago(row.last_checked_at) },
    ],
    { key: (row) => `trunk-${row.name}` },
  )

const boardTable = (rows: readonly overview.Board[]): Html =>
  dataTable(
    'Workers for calls',
    rows,
    [
      { title: 'Host', cell: (row) => row.host },
      { title: 'Address', cell: (row) => row.address },
      { title: 'Calls', style: 'number', cell: (row) => count(row.calls) },
      { title: 'Capacity', style: 'number', cell: (row) => count(row.capacity) },
    ],
    { key: (row) => `board-${row.id}` },
  )

const marks: Record<string, string> = {
  queued: 'waiting',
  initiated: 'running',
  ringing: 'running',
  in_progress: 'running',
  completed: 'done',
  busy: 'cancelled',
  no_answer: 'cancelled',
  canceled: 'cancelled',
  failed: 'failed',
}

const callTable = (rows: readonly overview.LatestCall[]): Html =>
  dataTable(
    'Latest calls',
    rows,
    [
      { title: 'Call', style: 'id', cell: (row) => row.id },
      { title: 'Organisation', cell: (row) => row.org },
      { title: 'From', cell: (row) => row.a },
      { title: 'To', cell: (row) => row.b },
      {
        title: 'Status',
        cell: (row) =>
          html`${mark(marks[row.status] ?? 'waiting')} ${row.status}${row.reason && row.reason !== row.status && html` <span class="quiet">${row.reason}${row.ended_by && `, by ${row.ended_by}`}</span>`}`,
      },
      {
        title: 'Duration',
        cell: (row) =>
          row.answered_at ? duration(((row.ended_at ?? new Date()).getTime() - row.answered_at.getTime()) / 1000) : '–',
      },
      { title: 'Created', cell: (row) => ago(row.created_at) },
    ],
    { key: (row) => `call-${row.id}` },
  )
