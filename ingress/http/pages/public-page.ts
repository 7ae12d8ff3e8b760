import type { Context } from 'koa'
import { type Content, html } from '../console/html.ts'

/** A page for people who have no key: readers, visitors, recipients of mail. */
export interface PublicPage {
  title: string
  /** Style sheets, scripts and whatever else the head has. */
  head?: Content
  main: Content
  language?: string
  /** What the Content-Security-Policy allows: without a word, nothing is loaded, run, sent or framed. */
  policy: Readonly<Record<string, string>>
  /** `Referrer-Policy`; without it, no other site learns the page's address. */
  referrer?: 'same-origin' | 'strict-origin-when-cross-origin'
  /** `no-cache` where a cache may keep it and asks whether it is still so. */
  caching?: 'no-store' | 'no-cache'
  /** Search engines are asked to leave it out. */
  unlisted?: boolean
}

const nothing = {
  'default-src': "'none'",
  'img-src': 'data:',
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

/** Answers with a page; returns its text. */
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
