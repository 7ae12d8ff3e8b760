import type { Context } from 'koa'
import { type Content, html } from './html.ts'

export interface PublicPage {
  title: string
  head?: Content
  main: Content
  language?: string
  policy: Readonly<Record<string, string>>
  /** `Referrer-Policy`. By default, other sites do not receive the page’s URL. */
  referrer?: 'same-origin' | 'strict-origin-when-cross-origin'
  /** Caching directive. With `no-cache`, a cache can store the page but must revalidate it. */
  caching?: 'no-store' | 'no-cache'
  unlisted?: boolean
}

const nothing = {
  'default-src': "'none'",
  'img-src': 'data:',
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

export function sendPublicPage(ctx: Context, page: PublicPage): string {
  const { title, head, main, language = 'en', caching = 'no-store', unlisted = false } = page
  const policy = Object.entries({ ...nothing, ...page.policy }).map(([directive, allowed]) => `${directive} ${allowed}`)
  ctx.set('content-security-policy', policy.join('; '))
  ctx.set('referrer-policy', page.referrer ?? 'no-referrer')
  ctx.set('cache-control', caching)
  if (unlisted) ctx.set('x-robots-tag', 'noindex, nofollow')
  ctx.type = 'text/html; charset=utf-8'
  const { text } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${unlisted && html`<meta name="robots" content="noindex, nofollow">`}
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`
  ctx.body = text
  return text
}
