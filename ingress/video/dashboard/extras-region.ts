import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import type { AnimatedPreview } from '#sql/video/animated-preview.ts'
import * as assets from '#sql/video/assets.ts'
import * as chapters from '#sql/video/chapters.ts'
import * as sounds from '#sql/video/sounds.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { amountOf, counted, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { writeClock } from './clock.ts'
import { renderStatus, section, titleOf } from './videos.ts'

const clipsShown = 20

/** Clips, chapters, poster, preview and added audio tracks of a video. */
export const extrasRegion: OrgRegion = {
  everyMs: 3_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const asset = id.success ? await assets.find(db, orgId, id.data) : null
    if (!asset) return null
    const page = { metadata: undefined, before: undefined, limit: clipsShown }
    const [clips, marked, tracks] = await Promise.all([
      assets.list(db, orgId, { ...page, where: whereOf(assets.filters, { clippedFrom: asset.id }) }),
      chapters.find(db, asset.id),
      sounds.list(db, orgId, asset.id),
    ])
    return html`<section><h2>Clips, chapters and poster</h2><dl class="facts">
${asset.clipped_from && html`<div><dt>Clip of</dt><dd>${originOf(asset.clipped_from)}</dd></div>`}
<div><dt>Clips</dt><dd>${clips.length === 0 ? 'None' : clips.map(clipLine)}</dd></div>
<div><dt>Chapters</dt><dd>${marked?.chapters.length ? counted(marked.chapters.length, 'chapter') : 'None'}</dd></div>
<div><dt>Poster</dt><dd>${asset.own_poster ? 'Your poster' : asset.poster ? 'Automatic' : 'None'}</dd></div>
<div><dt>Animated preview</dt><dd>${asset.preview ? previewLine(asset.preview) : 'None'}</dd></div>
<div><dt>Added audio tracks</dt><dd>${tracks.length === 0 ? 'None' : tracks.map(soundLine)}</dd></div></dl></section>`
  },
}

const originOf = ({ assetId, channelId, start, end }: NonNullable<assets.Asset['clipped_from']>): Html =>
  html`${assetId ? html`<a href="${section.path}/${assetId}">a video</a>` : html`<a href="/app/live/${channelId}">a broadcast</a>`} <span class="quiet">${writeClock(start)} to ${writeClock(end)}</span>`

const clipLine = (clip: assets.Asset): Html =>
  html`<div><a href="${section.path}/${clip.id}">${titleOf(clip)}</a> ${renderStatus(clip)}${clip.duration_seconds !== null && html` <span class="quiet">${duration(clip.duration_seconds)}</span>`}</div>`

const previewLine = ({ state, start, duration: seconds, bytes }: AnimatedPreview): Html =>
  html`${statusBadge(state)} <span class="quiet">${seconds} s from ${writeClock(start)}${bytes !== null && `, ${amountOf('bytes', bytes)}`}</span>`

const soundLine = ({ name, language, state, failure_summary: failure }: sounds.Sound): Html =>
  html`<div>${name ?? language} ${statusBadge(state)}${failure && html` <span class="quiet">${failure}</span>`}</div>`
