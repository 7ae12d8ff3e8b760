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
  dataTable({ caption: 'Trunks', key: (row) => `trunk-${row.name}` }, rows, {
    Trunk: ['', (row) => row.name],
    Status: (row) => (row.reachable ? html`${mark('alive')} reachable` : html`${mark('lost')} ${row.last_error}`),
    'Round trip': ['number', (row) => (row.rtt_ms === null ? '–' : `${row.rtt_ms} ms`)],
    Checked: (row) => ago(row.last_checked_at),
  })

const boardTable = (rows: readonly overview.Board[]): Html =>
  dataTable({ caption: 'Workers for calls', key: (row) => `board-${row.id}` }, rows, {
    Host: (row) => row.host,
    Address: (row) => row.address,
    Calls: ['number', (row) => count(row.calls)],
    Capacity: ['number', (row) => count(row.capacity)],
  })

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
  dataTable({ caption: 'Latest calls', key: (row) => `call-${row.id}` }, rows, {
    Call: ['id', (row) => row.id],
    Organisation: (row) => row.org,
    From: (row) => row.a,
    To: (row) => row.b,
    Status: (row) =>
      html`${mark(marks[row.status] ?? 'waiting')} ${row.status}${row.reason && row.reason !== row.status && html` <span class="quiet">${row.reason}${row.ended_by && `, by ${row.ended_by}`}</span>`}`,
    Duration: (row) =>
      row.answered_at ? duration(((row.ended_at ?? new Date()).getTime() - row.answered_at.getTime()) / 1000) : '–',
    Created: (row) => ago(row.created_at),
  })
