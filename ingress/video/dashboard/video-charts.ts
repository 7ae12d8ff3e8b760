import type { Db } from '#sql/db.ts'
import type * as assets from '#sql/video/assets.ts'
import * as quality from '#sql/video/quality.ts'
import * as views from '#sql/video/views.ts'
import { counted } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { figure } from '../../http/html/plot.ts'

const days = 30
const dayMs = 86_400_000

/** Number of positions of the retention curve. */
const points = 40

/** Renders the plays of a video by day, and how long its viewers watched. */
export async function renderVideoCharts(db: Db, asset: assets.Asset): Promise<Html | undefined> {
  if (asset.status !== 'ready' && asset.status !== 'processing') return undefined
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const from = today - (days - 1) * dayMs
  const hours = await quality.list(db, asset.id, new Date(from), new Date(today + dayMs))
  const plays = Array.from({ length: days }, (_, i) =>
    hours.reduce((sum, { at, views }) => sum + (Math.floor((at.getTime() - from) / dayMs) === i ? views : 0), 0),
  )
  const byDay = { from: from / 1000, step: dayMs / 1000, sparse: true, unit: 'count' } as const
  return html`<section><h2>Viewers</h2><div class="plots">${figure({ ...byDay, name: 'plays', title: 'Plays by day', noun: 'plays per day', series: [{ label: 'plays', values: plays }] })}
${await retention(db, asset)}</div></section>`
}

async function retention(db: Db, { id, duration_seconds }: assets.Asset): Promise<Html | undefined> {
  if (!duration_seconds) return undefined
  const step = Math.max(1, duration_seconds / points)
  const played = await views.listPlayed(db, id)
  const values = Array.from({ length: Math.floor(duration_seconds / step) + 1 }, (_, i) =>
    played.length === 0 ? null : played.filter((seconds) => seconds >= i * step - 0.5).length / played.length,
  )
  const title = 'Audience retention'
  const noun = `share of ${counted(played.length, 'view')} of the last day`
  const series = [{ label: 'watched at least this long', values }]
  return figure({ name: 'retention', title, noun, unit: 'share', axis: 'position', from: 0, step, series })
}
