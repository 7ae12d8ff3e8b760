import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { type Html, html } from './html.ts'
import { spanLinks } from './overview.ts'
import { page } from './page.ts'
import { qualitySpans } from './regions/quality.ts'
import { region } from './topics.ts'

const shared = {
  section: 'quality',
  query: z.object({ span: z.enum(qualitySpans).catch('7d') }),
} as const

const titled = (heading: Html, path: string, span: string): Html =>
  html`<div class="title">${heading}${spanLinks(path, span, qualitySpans)}</div>`

/** `GET /ops/quality`: how viewers fared, of all assets together. */
export const list = page({
  ...shared,
  path: '/quality',
  summary: 'How viewers fared',
  async view({ db, query: { span } }) {
    const main = html`${titled(html`<h1>Playback</h1>`, '/ops/quality', span)}${await region(db, `quality/${span}`)}`
    return { title: 'Playback', main }
  },
})

/** `GET /ops/quality/{asset}`: how the viewers of one asset fared. */
export const show = page({
  ...shared,
  path: '/quality/{assetId}',
  summary: 'How the viewers of one asset fared',
  params: z.object({ assetId: Id }),
  async view({ db, params: { assetId }, query: { span } }) {
    const asset = await assets.findAny(db, assetId)
    if (!asset) throw notFound('asset')
    const title = asset.title ?? asset.filename ?? assetId
    const main = html`<p class="trail"><a href="/ops/quality?span=${span}">Playback</a></p>
${titled(html`<h1 class="break">${title}</h1>`, `/ops/quality/${assetId}`, span)}
<p class="quiet">Asset ${assetId}, ${asset.visibility}, ${asset.status}</p>
${await region(db, `quality/${span}/${assetId}`)}`
    return { title, main }
  },
})
