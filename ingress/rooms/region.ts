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
  dataTable(
    'Rooms that are open on workers',
    rows,
    [
      { title: 'Room', cell: (row) => html`<span title="${row.id}">${row.name}</span>` },
      { title: 'Organisation', cell: (row) => row.org },
      {
        title: 'State',
        cell: (row) => html`${mark(marks[row.state])} ${row.state} <span class="quiet">${row.gateway_url}</span>`,
      },
      {
        title: 'Participants',
        style: 'number',
        cell: (row) => html`${count(row.present)} of ${count(row.max_participants)}`,
      },
      { title: 'Publishing', style: 'number', cell: (row) => count(row.publishing) },
      { title: 'Broadcast', cell: (row) => air(row) },
      { title: 'Checked', cell: (row) => (row.reconciled_at ? ago(row.reconciled_at) : '–') },
      { title: 'Since', cell: (row) => (row.started_at ? since(row.started_at) : '–') },
    ],
    { key: (row) => `room-${row.id}` },
  )

const hostTable = (rows: readonly overview.Host[]): Html =>
  dataTable(
    'Workers that open rooms',
    rows,
    [
      { title: 'Gateway', cell: (row) => html`<span title="${row.worker_id}">${row.gateway_url}</span>` },
      { title: 'Rooms', style: 'number', cell: (row) => count(row.rooms) },
      { title: 'Participants', style: 'number', cell: (row) => count(row.load) },
    ],
    { key: (row) => `host-${row.worker_id}` },
  )

const pastTable = (rows: readonly overview.EndedRoom[]): Html =>
  dataTable(
    'Recently ended rooms',
    rows,
    [
      { title: 'Room', cell: (row) => html`<span title="${row.id}">${row.name}</span>` },
      { title: 'Organisation', cell: (row) => row.org },
      { title: 'Ended', cell: (row) => ago(row.ended_at) },
      {
        title: 'Duration',
        cell: (row) => (row.started_at ? duration((row.ended_at.getTime() - row.started_at.getTime()) / 1000) : '–'),
      },
      { title: 'Reason', cell: (row) => row.end_reason },
      { title: 'People', style: 'number', cell: (row) => count(row.people) },
    ],
    { key: (row) => `past-${row.id}` },
  )
