import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { type Content, html } from '../http/console/html.ts'
import { sendPublicPage } from '../http/pages/public-page.ts'

/** What the pages load. */
export const files = {
  'wiki.css': { type: 'text/css', read: () => readFile(new URL('./page/wiki.css', import.meta.url)) },
}

/** A page for readers. */
export interface Page {
  title: string
  main: Content
  /** More for its head. */
  head?: Content
  language?: string
  /** The origin from which its pictures come. */
  pictures?: string
}

/** Answers with a page; nothing of it runs, and it loads nothing from another host but its pictures from our storage. One that the reader has is answered 304. */
export function sendPage(ctx: Context, { title, main, head, language = 'en', pictures }: Page): void {
  const body = sendPublicPage(ctx, {
    title,
    head: html`<link rel="stylesheet" href="/wiki/files/wiki.css">
${head}`,
    main,
    language,
    policy: { 'style-src': "'self'", ...(pictures !== undefined && { 'img-src': `'self' data: ${pictures}` }) },
    // A withdrawal is seen at once: caches ask whether what they have is still so.
    caching: 'no-cache',
  })
  ctx.set('etag', `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`)
  if (ctx.fresh) ctx.status = 304
}

/** Tells a reader that there is nothing, or that something went wrong. */
export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? ['Not found', 'This article does not exist or is not published.']
      : ['Something went wrong', 'Try again in a minute.']
  sendPage(ctx, { title, main: html`<h1>${title}</h1><p role="alert">${sentence}</p>` })
}

/** What all these pages have in common. */
export const shared = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  status: 200,
  limit: { perMinute: 600, by: 'ip' },
  renderProblem,
  problems: ['not_found'],
} as const

/** A day as readers write it. */
export const day = (at: Date): Content =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
