import * as overview from '#sql/voice/overview.ts'
import * as trunks from '#sql/voice/trunks.ts'
import type { Region } from '../http/console/regions.ts'
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

const trunkTable = (rows: Awaited<ReturnType<typeof trunks.latest>>): Html => html`<table class="data stacks">
<caption class="unseen">Trunks</caption>
<thead><tr><th scope="col">Trunk</th><th scope="col">Status</th><th scope="col" class="number">Round trip</th><th scope="col">Checked</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr data-key="trunk-${row.name}"><th scope="row">${row.name}</th>
<td data-label="Status">${row.reachable ? html`${mark('alive')} reachable` : html`${mark('lost')} ${row.last_error}`}</td>
<td class="number" data-label="Round trip">${row.rtt_ms === null ? '–' : `${row.rtt_ms} ms`}</td><td data-label="Checked">${ago(row.last_checked_at)}</td></tr>`,
)}</tbody></table>`

const boardTable = (rows: readonly overview.Board[]): Html => html`<table class="data stacks">
<caption class="unseen">Workers for calls</caption>
<thead><tr><th scope="col">Host</th><th scope="col">Address</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Capacity</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="board-${row.id}"><th scope="row" class="break">${row.host}</th><td data-label="Address">${row.address}</td>
<td class="number" data-label="Calls">${count(row.calls)}</td><td class="number" data-label="Capacity">${count(row.capacity)}</td></tr>`,
)}</tbody></table>`

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

const callTable = (rows: readonly overview.LatestCall[]): Html => html`<table class="data stacks">
<caption class="unseen">Latest calls</caption>
<thead><tr><th scope="col">Call</th><th scope="col">Organisation</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Status</th><th scope="col">Duration</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="call-${row.id}"><th scope="row" class="id">${row.id}</th><td data-label="Organisation">${row.org}</td>
<td data-label="From">${row.a}</td><td data-label="To">${row.b}</td>
<td data-label="Status">${mark(marks[row.status] ?? 'waiting')} ${row.status}${row.reason && row.reason !== row.status && html` <span class="quiet">${row.reason}${row.ended_by && `, by ${row.ended_by}`}</span>`}</td>
<td data-label="Duration">${row.answered_at ? duration(((row.ended_at ?? new Date()).getTime() - row.answered_at.getTime()) / 1000) : '–'}</td>
<td data-label="Created">${ago(row.created_at)}</td></tr>`,
)}</tbody></table>`
