import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { type Content, html } from '../http/console/html.ts'

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
}

/** Answers with a page; nothing of it runs, and it loads nothing from another host. One that the reader has is answered 304. */
export function sendPage(ctx: Context, { title, main, head, language = 'en' }: Page): void {
  const body = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/wiki/files/wiki.css">
${head}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`.text
  ctx.set('content-security-policy', policy)
  ctx.set('referrer-policy', 'no-referrer')
  // A withdrawal is seen at once: caches ask whether what they have is still so.
  ctx.set('cache-control', 'no-cache')
  ctx.set('etag', `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`)
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = body
  if (ctx.fresh) ctx.status = 304
}

/** Tells a reader that there is nothing, or that something went wrong. */
export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? ['Not here', 'There is no such article, or it is not published.']
      : ['Something went wrong', 'Please try again in a minute.']
  sendPage(ctx, { title, main: html`<h1>${title}</h1><p role="alert">${sentence}</p>` })
}

/** What all these pages have in common. */
export const shared = {
  method: 'GET',
  public: true,
  hidden: true,
  status: 200,
  limit: { perMinute: 600, by: 'ip' },
  renderProblem,
  problems: ['not_found'],
} as const

/** A day as readers write it. */
export const day = (at: Date): Content =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
