import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Publisher } from '#sql/account/publishers.ts'
import { type Content, html } from '../http/html/html.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'

export const files = {
  'wiki.css': { type: 'text/css', read: async () => withTokens(new URL('./page/wiki.css', import.meta.url)) },
}

export interface Page {
  title: string
  main: Content
  head?: Content
  language?: string
  pictures?: string
  publisher?: Publisher | null
}

/**
 * Sends a web page without JavaScript, whose images can come only from our storage. Returns 304 if the client has the
 * current version.
 */
export function sendPage(ctx: Context, { title, main, head, language = 'en', pictures, publisher }: Page): void {
  const body = sendPublicPage(ctx, {
    title,
    head: html`<link rel="stylesheet" href="/wiki/files/wiki.css">
${head}`,
    main,
    language,
    publisher,
    policy: { 'style-src': "'self'", ...(pictures !== undefined && { 'img-src': `'self' data: ${pictures}` }) },
    // Caches must revalidate, so that a withdrawal is visible immediately.
    caching: 'no-cache',
  })
  ctx.set('etag', `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`)
  if (ctx.fresh) ctx.status = 304
}

export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? ['Not found', 'This article does not exist or is not published.']
      : ['Something went wrong', 'Try again in a minute.']
  sendPage(ctx, { title, main: html`<h1>${title}</h1><p role="alert">${sentence}</p>` })
}

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

export const day = (at: Date): Content =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`
