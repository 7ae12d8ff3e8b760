import * as overview from '#sql/live/overview.ts'
import * as refusals from '#sql/live/refusals.ts'
import type { Region } from '../http/console/regions.ts'
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

const channelTable = (rows: readonly overview.OnAir[]): Html => html`<table class="data stacks">
<caption class="unseen">Live channels</caption>
<thead><tr><th scope="col">Channel</th><th scope="col">Organisation</th><th scope="col">State</th><th scope="col">Video</th>
<th scope="col" class="number">Bitrate</th><th scope="col" class="number">Viewers</th><th scope="col">Since</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr data-key="channel-${row.channel_id}">
<th scope="row" class="break" title="${row.channel_id}">${row.name}${(row.facts.warnings ?? []).map((warning) => html`<p class="quiet">${warning}</p>`)}</th>
<td data-label="Organisation">${row.org}</td>
<td data-label="State">${mark(marks[row.state])} ${row.state} <span class="quiet">${row.source}, ${row.origin_url}</span></td>
<td data-label="Video">${picture(row.facts)}</td><td data-label="Bitrate" class="number">${megabits(row.facts.bitRate ?? 0)}</td>
<td data-label="Viewers" class="number">${count(row.facts.viewers ?? 0)}</td><td data-label="Since">${since(row.started_at)}</td></tr>`,
)}</tbody></table>`

const refusedTable = (rows: readonly refusals.RefusalView[]): Html => html`<table class="data stacks">
<caption class="unseen">Publishers that were recently rejected, dropped or kept waiting</caption>
<thead><tr><th scope="col">Channel</th><th scope="col">Organisation</th><th scope="col">Key</th><th scope="col">Time</th><th scope="col">Reason</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr data-key="refused-${row.channel_id}">
<th scope="row" class="break" title="${row.channel_id}">${row.name}</th><td data-label="Organisation">${row.org}</td>
<td data-label="Key">${row.source}</td><td data-label="Time">${ago(row.refused_at)}</td><td data-label="Reason">${refusalMessage(row.reason)}</td></tr>`,
)}</tbody></table>`

const pastTable = (rows: readonly overview.EndedBroadcast[]): Html => html`<table class="data stacks">
<caption class="unseen">Recently ended broadcasts</caption>
<thead><tr><th scope="col">Channel</th><th scope="col">Organisation</th><th scope="col">Ended</th><th scope="col">Duration</th><th scope="col">Reason</th><th scope="col">Recording</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="broadcast-${row.id}"><th scope="row" class="break" title="${row.id}">${row.name}</th><td data-label="Organisation">${row.org}</td>
<td data-label="Ended">${ago(row.ended_at)}</td><td data-label="Duration">${duration((row.ended_at.getTime() - row.started_at.getTime()) / 1000)}</td>
<td data-label="Reason">${row.end_reason}</td><td data-label="Recording">${recording(row)}</td></tr>`,
)}</tbody></table>`

function recording({ record, live_at, recorded_at, asset_id }: overview.EndedBroadcast): Content {
  if (asset_id && recorded_at) return html`<a href="/ops/quality/${asset_id}">asset</a>`
  if (!record || (!live_at && !asset_id)) return 'none'
  return mark('waiting')
}
