import * as overview from '#sql/live/overview.ts'
import * as refusals from '#sql/live/refusals.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count, duration, since } from '../http/html/format.ts'
import { type Content, type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { figure, type Plot } from '../http/html/plot.ts'
import { renderTiles } from '../http/html/tiles.ts'
import { refusalMessage } from './refusals.ts'

const [most, plotted] = [50, 12]

/** Interval of a worker's lease renewals in seconds. Each renewal contains a bit rate. */
const renewalSeconds = 1

export const liveRegion: Region = {
  everyMs: 2_000,
  async read(db) {
    const [totals, onAir, past, refused] = await Promise.all([
      overview.totals(db),
      overview.onAir(db, most),
      overview.lastEnded(db, most),
      refusals.listLast(db, most),
    ])
    const tiles: [string, string][] = [
      ['channels', count(totals.channels)],
      ['live now', count(totals.live)],
      ['viewers', count(totals.viewers)],
      ['received', megabits(totals.bit_rate)],
    ]
    return html`${renderTiles(tiles)}
<section aria-labelledby="on-air"><h2 id="on-air">Live channels</h2>${onAir.length === 0 ? html`<p class="empty">No broadcasts in progress.</p>` : channelTable(onAir)}</section>
<div class="plots">${onAir.slice(0, plotted).map((channel) => figure(plotOf(channel)))}</div>
<section aria-labelledby="refused"><h2 id="refused">Recently rejected</h2>${refused.length === 0 ? html`<p class="empty">No rejected publishers.</p>` : refusedTable(refused)}</section>
<section aria-labelledby="past"><h2 id="past">Recently ended</h2>${past.length === 0 ? html`<p class="empty">No ended broadcasts.</p>` : pastTable(past)}</section>`
  },
}

const megabits = (bits: number) => `${Number((bits / 1e6).toPrecision(3))} Mbit/s`

const plotOf = ({ channel_id, name, bit_rates }: overview.OnAir): Plot => ({
  name: `bits-${channel_id}`,
  title: name,
  unit: 'bits',
  from: Math.floor(Date.now() / 1000) - bit_rates.length * renewalSeconds,
  step: renewalSeconds,
  series: [{ label: 'received', values: bit_rates }],
})

const marks = { live: 'running', connecting: 'waiting', lost: 'lost' } as const

function picture({ width, height, frameRate, videoCodec, audioCodec }: overview.OnAir['facts']): Content {
  const size = width && height ? `${width}×${height}` : undefined
  const rate = frameRate ? `${Number(frameRate.toFixed(2))}/s` : undefined
  return [size, rate, videoCodec, audioCodec].filter(Boolean).join(', ') || '–'
}

const channelTable = (rows: readonly overview.OnAir[]): Html =>
  dataTable({ caption: 'Live channels', key: (row) => `channel-${row.channel_id}` }, rows, {
    Channel: (row) =>
      html`<span title="${row.channel_id}">${row.name}${(row.facts.warnings ?? []).map((warning) => html`<p class="quiet">${warning}</p>`)}</span>`,
    Organisation: (row) => row.org,
    State: (row) =>
      html`${mark(marks[row.state])} ${row.state} <span class="quiet">${row.source}, ${row.origin_url}</span>`,
    Video: (row) => picture(row.facts),
    Bitrate: ['number', (row) => megabits(row.facts.bitRate ?? 0)],
    Viewers: ['number', (row) => count(row.facts.viewers ?? 0)],
    Since: (row) => since(row.started_at),
  })

const refusedTable = (rows: readonly refusals.RefusalView[]): Html =>
  dataTable(
    {
      caption: 'Publishers that were recently rejected, dropped or kept waiting',
      key: (row) => `refused-${row.channel_id}`,
    },
    rows,
    {
      Channel: (row) => html`<span title="${row.channel_id}">${row.name}</span>`,
      Organisation: (row) => row.org,
      Key: (row) => row.source,
      Time: (row) => ago(row.refused_at),
      Reason: (row) => refusalMessage(row.reason),
    },
  )

const pastTable = (rows: readonly overview.EndedBroadcast[]): Html =>
  dataTable({ caption: 'Recently ended broadcasts', key: (row) => `broadcast-${row.id}` }, rows, {
    Channel: (row) => html`<span title="${row.id}">${row.name}</span>`,
    Organisation: (row) => row.org,
    Ended: (row) => ago(row.ended_at),
    Duration: (row) => duration((row.ended_at.getTime() - row.started_at.getTime()) / 1000),
    Reason: (row) => row.end_reason,
    Recording: (row) => recording(row),
  })

function recording({ record, live_at, recorded_at, asset_id }: overview.EndedBroadcast): Content {
  if (asset_id && recorded_at) return html`<a href="/ops/quality/${asset_id}">asset</a>`
  if (!record || (!live_at && !asset_id)) return 'none'
  return mark('waiting')
}
