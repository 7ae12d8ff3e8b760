import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { ErrorCount } from '#sql/video/quality.ts'
import * as quality from '#sql/video/quality-history.ts'
import { startupAt } from '#sql/video/startup.ts'
import type { Region } from '../../http/console/regions.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { mark } from '../../http/html/marks.ts'
import { figure, type Plot, percent } from '../../http/html/plot.ts'

export const qualitySpans = Object.keys(quality.spans) as [quality.Span, ...quality.Span[]]

const shown = 12

const isSpan = (text: string): text is quality.Span => Object.hasOwn(quality.spans, text)

export const qualityRegion: Region = {
  everyMs: 15_000,
  read: playback,
  fits: ([, assetId]) => assetId === undefined || Id.safeParse(assetId).success,
}

async function playback(db: DatabasePool, [span = '', assetId]: readonly string[]): Promise<Html | null> {
  if (!isSpan(span)) return null
  const points = await quality.history(db, { span, assetId })
  const errors = await quality.errors(db, { span, assetId }, shown)
  const watched = assetId === undefined ? await quality.mostWatched(db, span, shown) : []
  return html`<div class="plots">${plotsOf(points, quality.spans[span].step).map(figure)}</div>
<div class="columns">
<section aria-labelledby="errors"><h2 id="errors">Errors</h2>${errorsTable(errors)}</section>
${assetId === undefined && html`<section aria-labelledby="watched"><h2 id="watched">Most watched</h2>${watchedTable(watched, span)}</section>`}
</div>`
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)

function plotsOf(points: readonly quality.Point[], step: number): Plot[] {
  const time = { from: (points[0]?.at.getTime() ?? 0) / 1000, step, sparse: true }
  const each = (of: (point: quality.Point) => number | null) => points.map(of)
  const startup = (part: number) => each((point) => share(startupAt(point.startup, part) ?? 0, point.starts && 1000))
  return [
    {
      ...time,
      name: 'startup',
      title: 'Start-up time',
      unit: 'seconds',
      series: [
        { label: '50 % are faster', values: startup(0.5) },
        { label: '95 % are faster', values: startup(0.95) },
      ],
    },
    {
      ...time,
      name: 'rebuffer',
      title: 'Rebuffering time',
      unit: 'share',
      series: [
        {
          label: 'share of playing time',
          values: each(({ rebuffer_ms, play_ms }) => share(rebuffer_ms, play_ms + rebuffer_ms)),
        },
      ],
    },
    {
      ...time,
      name: 'bitrate',
      title: 'Average bitrate',
      unit: 'bits',
      series: [{ label: 'played', values: each(({ bits, play_ms }) => share(bits * 1000, play_ms)) }],
    },
    {
      ...time,
      name: 'errors',
      title: 'Views ended by an error',
      unit: 'share',
      series: [
        { label: 'share of views', values: each(({ failed_views, views }) => share(failed_views, views)), bad: true },
      ],
    },
    {
      ...time,
      name: 'dropped',
      title: 'Dropped frames',
      unit: 'share',
      series: [{ label: 'share of frames', values: each(({ dropped, decoded }) => share(dropped, decoded)) }],
    },
    {
      ...time,
      name: 'views',
      title: 'Views',
      unit: 'count',
      series: [{ label: 'begun', values: each(({ views }) => views) }],
    },
  ]
}

function errorsTable(errors: readonly ErrorCount[]): Html {
  if (errors.length === 0) return html`<p class="empty">No player has reported an error.</p>`
  return dataTable(
    { caption: 'Errors reported by players', key: (error) => `error-${error.code}-${String(error.fatal)}` },
    errors,
    {
      Error: ['', (error) => error.code],
      Result: (error) => (error.fatal ? mark('failed') : 'playback continued'),
      Count: ['number', (error) => count(error.count)],
    },
  )
}

function watchedTable(watched: readonly quality.AssetQuality[], span: string): Html {
  if (watched.length === 0) return html`<p class="empty">No views in this period.</p>`
  return dataTable({ caption: 'Most watched assets', key: (asset) => `watched-${asset.asset_id}` }, watched, {
    Asset: (asset) => html`<a href="/ops/quality/${asset.asset_id}?span=${span}">${asset.title ?? asset.asset_id}</a>`,
    Views: ['number', (asset) => count(asset.views)],
    Watched: ['number', (asset) => duration(asset.play_ms / 1000)],
    Waiting: ['number', (asset) => percent(share(asset.rebuffer_ms, asset.play_ms + asset.rebuffer_ms))],
    Failed: ['number', (asset) => percent(share(asset.failed_views, asset.views))],
  })
}
