import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { page } from '../../http/console/page.ts'
import { type Html, html } from '../../http/html/html.ts'
import { spanLinks } from '../../http/html/plot.ts'
import { mustFind } from '../../http/must-find.ts'
import { qualitySpans } from './quality-region.ts'

export const playback = { title: 'Playback', path: '/ops/quality', group: 'Media' } as const

const shared = {
  section: playback,
  query: z.object({ span: z.enum(qualitySpans).catch('7d') }),
} as const

const titled = (heading: Html, path: string, span: string): Html =>
  html`<div class="title">${heading}${spanLinks(path, span, qualitySpans)}</div>`

export const list = page({
  ...shared,
  path: '/quality',
  summary: 'Show playback quality',
  async view({ region, query: { span } }) {
    const main = html`${titled(html`<h1>Playback</h1>`, '/ops/quality', span)}${await region(`quality/${span}`)}`
    return { title: 'Playback', main }
  },
})

export const show = page({
  ...shared,
  path: '/quality/{assetId}',
  summary: 'Show playback quality of an asset',
  params: z.object({ assetId: Id }),
  async view({ db, region, params: { assetId }, query: { span } }) {
    const asset = await mustFind(assets.findAny(db, assetId), 'asset')
    const title = asset.title ?? asset.filename ?? assetId
    const main = html`<p class="trail"><a href="/ops/quality?span=${span}">Playback</a></p>
${titled(html`<h1 class="break">${title}</h1>`, `/ops/quality/${assetId}`, span)}
<p class="quiet">Asset ${assetId}, ${asset.visibility}, ${asset.status}</p>
${await region(`quality/${span}/${assetId}`)}`
    return { title, main }
  },
})
