import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as imports from '#sql/video/imports.ts'
import type { LeftOut } from '#sql/video/left-out.ts'
import * as renditions from '#sql/video/renditions.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { amountOf, duration, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderProgressBar } from '../../http/html/marks.ts'
import { copyable } from '../../http/html/parts.ts'
import { progressOf } from '../assets/progress.ts'
import { isPlayable, renderStatus, section, titleOf } from './videos.ts'

export const videoRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const asset = id.success ? await assets.find(db, orgId, id.data) : null
    if (!asset) return null
    const [progress, served, imported] = await Promise.all([
      progressOf(db, asset),
      renditions.listServed(db, asset.id),
      imports.find(db, asset.id),
    ])
    return html`<dl class="facts">
<div><dt>Status</dt><dd>${renderStatus(asset)}</dd></div>
${asset.status === 'processing' && html`<div><dt>Progress</dt><dd>${renderProgressBar(progress.progress_percent / 100, titleOf(asset))}${progress.queuePosition && html` <span class="quiet">position ${progress.queuePosition} in the queue</span>`}</dd></div>`}
${imported && asset.status === 'uploading' && html`<div><dt>Downloaded</dt><dd>${amountOf('bytes', imported.received)}${imported.total !== null && ` of ${amountOf('bytes', imported.total)}`}</dd></div>`}
${asset.failure_summary && html`<div><dt>Reason</dt><dd>${asset.failure_summary} <span class="quiet">${asset.failure_code}</span></dd></div>`}
${asset.external_ref !== null && html`<div><dt>Your reference</dt><dd class="break">${asset.external_ref}</dd></div>`}
${Object.entries(asset.metadata).map(([key, value]) => html`<div><dt>${key}</dt><dd class="break">${value}</dd></div>`)}
<div><dt>Size</dt><dd>${amountOf('bytes', asset.bytes)}</dd></div>
${asset.duration_seconds !== null && html`<div><dt>Length</dt><dd>${duration(asset.duration_seconds)}</dd></div>`}
${asset.width !== null && html`<div><dt>Resolution</dt><dd>${asset.width} × ${asset.height}${asset.frame_rate !== null && `, ${Math.round(asset.frame_rate * 100) / 100} frames per second`}</dd></div>`}
${asset.left_out.length > 0 && html`<div><dt>Omitted tracks</dt><dd>${asset.left_out.map(leftOutLine)}</dd></div>`}
<div><dt>Uploaded</dt><dd>${formatInstant(asset.created_at)} UTC</dd></div>
<div><dt>ID</dt><dd>${copyable(asset.id, 'the ID of the video')}</dd></div></dl>
${isPlayable(asset) && html`<p class="actions spaced"><a class="button primary" href="${section.path}/${asset.id}/watch">Watch</a></p>`}
${served.length > 0 && renditionTable(served)}`
  },
}

const reasons: Record<LeftOut['reason'], string> = {
  limit: 'a video has one video track and up to 8 audio tracks',
  undecodable: 'the track cannot be decoded',
  late: 'the track starts too far into the file',
}

const leftOutLine = ({ kind, track, name, language, reason }: LeftOut): Html =>
  html`<div>${kind} track ${track}${name !== null && ` “${name}”`}${language !== null && ` (${language})`} <span class="quiet">${reasons[reason]}</span></div>`

const renditionTable = (served: readonly renditions.Rendition[]): Html => html`<section><h2>Renditions</h2>
${dataTable('Renditions', served, {
  Name: ['', (one) => one.name],
  Resolution: (one) => (one.width === 0 ? '–' : `${one.width} × ${one.height}`),
  Codec: (one) => one.codec,
  Bitrate: (one) => html`${(one.mean_bit_rate / 1e6).toFixed(2)} Mb/s`,
  Size: (one) => amountOf('bytes', one.bytes),
})}</section>`
