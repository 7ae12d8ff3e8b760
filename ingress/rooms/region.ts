import * as overview from '#sql/rooms/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { ago, count, duration, since } from '../http/html/format.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { renderTiles } from '../http/html/tiles.ts'

const most = 50

export const roomRegion: Region = {
  everyMs: 2_000,
  async read(db) {
    const [occupied, hosts, past] = await Promise.all([
      overview.occupied(db, most),
      overview.hosts(db, most),
      overview.lastEnded(db, most),
    ])
    const live = occupied.filter(({ state }) => state !== 'lost')
    const sum = (of: (room: overview.OccupiedRoom) => number) => live.reduce((total, room) => total + of(room), 0)
    const tiles: [string, string][] = [
      ['rooms', count(live.length)],
      ['participants', count(sum(({ present }) => present))],
      ['publishing', count(sum(({ publishing }) => publishing))],
      ['workers', count(hosts.length)],
    ]
    return html`${renderTiles(tiles)}
<section aria-labelledby="occupied"><h2 id="occupied">In use</h2>${occupied.length === 0 ? html`<p class="empty">No rooms in use.</p>` : roomTable(occupied)}</section>
<section aria-labelledby="hosts"><h2 id="hosts">Workers</h2>${hosts.length === 0 ? html`<p class="empty">No worker can open rooms. Check that the rooms pool is running.</p>` : hostTable(hosts)}</section>
<section aria-labelledby="past"><h2 id="past">Recently ended</h2>${past.length === 0 ? html`<p class="empty">No ended rooms.</p>` : pastTable(past)}</section>`
  },
}

const marks = { open: 'running', assigned: 'waiting', lost: 'lost' } as const

const air = ({ broadcast, recording }: overview.OccupiedRoom): Content =>
  [broadcast && 'broadcast', recording && 'recording'].filter(Boolean).join(', ') || '–'

const roomTable = (rows: readonly overview.OccupiedRoom[]): Html => html`<table class="data stacks">
<caption class="unseen">Rooms that are open on workers</caption>
<thead><tr><th scope="col">Room</th><th scope="col">Organisation</th><th scope="col">State</th><th scope="col" class="number">Participants</th>
<th scope="col" class="number">Publishing</th><th scope="col">Broadcast</th><th scope="col">Checked</th><th scope="col">Since</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr data-key="room-${row.id}"><th scope="row" class="break" title="${row.id}">${row.name}</th>
<td data-label="Organisation">${row.org}</td>
<td data-label="State">${mark(marks[row.state])} ${row.state} <span class="quiet">${row.gateway_url}</span></td>
<td data-label="Participants" class="number">${count(row.present)} of ${count(row.max_participants)}</td>
<td data-label="Publishing" class="number">${count(row.publishing)}</td><td data-label="Broadcast">${air(row)}</td>
<td data-label="Checked">${row.reconciled_at ? ago(row.reconciled_at) : '–'}</td>
<td data-label="Since">${row.started_at ? since(row.started_at) : '–'}</td></tr>`,
)}</tbody></table>`

const hostTable = (rows: readonly overview.Host[]): Html => html`<table class="data stacks">
<caption class="unseen">Workers that open rooms</caption>
<thead><tr><th scope="col">Gateway</th><th scope="col" class="number">Rooms</th><th scope="col" class="number">Participants</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="host-${row.worker_id}"><th scope="row" class="break" title="${row.worker_id}">${row.gateway_url}</th>
<td data-label="Rooms" class="number">${count(row.rooms)}</td><td data-label="Participants" class="number">${count(row.load)}</td></tr>`,
)}</tbody></table>`

const pastTable = (rows: readonly overview.EndedRoom[]): Html => html`<table class="data stacks">
<caption class="unseen">Recently ended rooms</caption>
<thead><tr><th scope="col">Room</th><th scope="col">Organisation</th><th scope="col">Ended</th><th scope="col">Duration</th><th scope="col">Reason</th><th scope="col" class="number">People</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="past-${row.id}"><th scope="row" class="break" title="${row.id}">${row.name}</th><td data-label="Organisation">${row.org}</td>
<td data-label="Ended">${ago(row.ended_at)}</td><td data-label="Duration">${row.started_at ? duration((row.ended_at.getTime() - row.started_at.getTime()) / 1000) : '–'}</td>
<td data-label="Reason">${row.end_reason}</td><td data-label="People" class="number">${count(row.people)}</td></tr>`,
)}</tbody></table>`
