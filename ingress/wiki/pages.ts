import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as publishers from '#sql/account/publishers.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import * as pictures from '#sql/wiki/pictures.ts'
import * as places from '#sql/wiki/places.ts'
import * as snapshots from '#sql/wiki/public-snapshots.ts'
import * as published from '#sql/wiki/published.ts'
import { mustFind } from '../http/must-find.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { pageUrl, Tag } from './article-fields.ts'
import { articlePage, feedUrl, indexPage, snapshotPage, tombstonePage } from './article-page.ts'
import { renderFeed } from './feed.ts'
import { files, sendPage, shared } from './page.ts'
import { renderArticle } from './render-article.ts'

const send = fileSender(files)

const pictureSeconds = 600

const newestShown = 50

export const index = route({
  ...shared,
  path: '/wiki',
  summary: 'Show the latest published articles',
  raw: 'text/html; charset=utf-8',
  async handle({ ctx, db }) {
    sendPage(ctx, indexPage(await published.newest(db, null, undefined, newestShown)))
  },
})

export const article = route({
  ...shared,
  path: '/wiki/{slug}',
  summary: 'Show a published article',
  raw: 'text/html; charset=utf-8',
  params: z.object({ slug: z.string() }),
  async handle({ ctx, db, params: { slug }, origin, services }) {
    const found = await mustFind(articles.findBySlug(db, slug.toLowerCase().normalize(), null), 'article')
    if (found.status === 'draft') throw notFound('article')
    if (found.slug !== slug) {
      ctx.redirect(`/wiki/${encodeURIComponent(found.slug)}`)
      ctx.status = 301
      // The redirect is not cached, because the article may use a previous slug again.
      ctx.set('cache-control', 'no-cache')
      return
    }
    if (found.published_version === null) {
      ctx.status = 410
      sendPage(ctx, tombstonePage(found))
      return
    }
    const version = await mustFind(versions.findByNumber(db, found.id, found.published_version), 'article')
    const near = { url: pageUrl(origin, found.slug), ...(await places.findNearby(db, found.id)) }
    const page = articlePage(found, version, await renderArticle(db, found.org_id, version), near)
    const shows = await pictures.hasAny(db, found.id)
    const publisher = await publishers.find(db, found.org_id)
    sendPage(ctx, { ...page, publisher, ...(shows && { pictures: services(storage).publicOrigin }) })
  },
})

export const picture = route({
  ...shared,
  path: '/wiki/pictures/{objectId}',
  summary: 'Get an image of a published article',
  raw: true,
  params: z.object({ objectId: pathId('picture') }),
  async handle({ ctx, db, params: { objectId }, services }) {
    const { held_key, sniffed_type, filename } = await mustFind(pictures.findShown(db, objectId), 'picture')
    if (held_key === null || sniffed_type === null) throw notFound('picture')
    const as = { filename, type: sniffed_type }
    ctx.redirect(await services(storage).signSave(held_key, pictureSeconds, as))
    ctx.set('cache-control', `private, max-age=${pictureSeconds / 2}`)
  },
})

export const snapshot = route({
  ...shared,
  path: '/wiki/snapshots/{snapshotId}',
  summary: 'Show a snapshot that a published article cites',
  raw: 'text/html; charset=utf-8',
  params: z.object({ snapshotId: pathId('snapshot') }),
  async handle({ ctx, db, params: { snapshotId } }) {
    sendPage(ctx, snapshotPage(await mustFind(snapshots.find(db, snapshotId), 'snapshot')))
  },
})

export const feed = route({
  ...shared,
  path: '/wiki/feed.xml',
  summary: 'Get the feed of published articles',
  raw: 'application/rss+xml; charset=utf-8',
  query: z.object({ org: Id.optional(), tag: Tag.optional() }),
  async handle({ ctx, db, query: { org, tag }, origin }) {
    const rows = await published.newest(db, org ?? null, tag, 50)
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'application/rss+xml; charset=utf-8'
    ctx.body = renderFeed(rows, origin, origin + feedUrl({ org, tag }))
    ctx.set('etag', `W/"${rows.length}-${rows[0]?.id}-${rows[0]?.published_at.getTime()}"`)
    if (ctx.fresh) ctx.status = 304
  },
})

export const file = route({
  ...shared,
  withoutDatabase: true,
  limit: false,
  path: '/wiki/files/{file}',
  summary: 'Get a file of the wiki’s web pages',
  raw: true,
  params: z.object({ file: z.enum(Object.keys(files)) }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=300')
  },
})
