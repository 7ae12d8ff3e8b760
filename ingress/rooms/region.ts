import * as overview from '#sql/rooms/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
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

const roomTable = (rows: readonly overview.OccupiedRoom[]): Html =>
  dataTable({ caption: 'Rooms that are open on workers', key: (row) => `room-${row.id}` }, rows, {
    Room: (row) => html`<span title="${row.id}">${row.name}</span>`,
    Organisation: (row) => row.org,
    State: (row) => html`${mark(marks[row.state])} ${row.state} <span class="quiet">${row.gateway_url}</span>`,
    Participants: ['number', (row) => html`${count(row.present)} of ${count(row.max_participants)}`],
    Publishing: ['number', (row) => count(row.publishing)],
    Broadcast: (row) => air(row),
    Checked: (row) => (row.reconciled_at ? ago(row.reconciled_at) : '–'),
    Since: (row) => (row.started_at ? since(row.started_at) : '–'),
  })

const hostTable = (rows: readonly overview.Host[]): Html =>
  dataTable({ caption: 'Workers that open rooms', key: (row) => `host-${row.worker_id}` }, rows, {
    Gateway: (row) => html`<span title="${row.worker_id}">${row.gateway_url}</span>`,
    Rooms: ['number', (row) => count(row.rooms)],
    Participants: ['number', (row) => count(row.load)],
  })

const pastTable = (rows: readonly overview.EndedRoom[]): Html =>
  dataTable({ caption: 'Recently ended rooms', key: (row) => `past-${row.id}` }, rows, {
    Room: (row) => html`<span title="${row.id}">${row.name}</span>`,
    Organisation: (row) => row.org,
    Ended: (row) => ago(row.ended_at),
    Duration: (row) => (row.started_at ? duration((row.ended_at.getTime() - row.started_at.getTime()) / 1000) : '–'),
    Reason: (row) => row.end_reason,
    People: ['number', (row) => count(row.people)],
  })
