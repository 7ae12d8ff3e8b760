import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Publisher } from '#sql/account/publishers.ts'
import { sendCompressedHtml } from '../pages/compressed-html.ts'
import { type BrandColors, readableColors } from './brand-color.ts'
import { type Content, Html, html } from './html.ts'

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
  /** Organisation that publishes the page. Its colour replaces the tokens of buttons and links. */
  publisher?: Publisher | null | undefined
}

const nothing = {
  'default-src': "'none'",
  'img-src': 'data:',
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

export function sendPublicPage(ctx: Context, page: PublicPage): string {
  const { title, head, main, language = 'en', caching = 'no-store', unlisted = false, publisher } = page
  const style = publisher && publisherStyle(publisher)
  const allowed = style ? { 'style-src': withHash(page.policy['style-src'], style) } : {}
  const policy = Object.entries({ ...nothing, ...page.policy, ...allowed }).map(
    ([directive, allowed]) => `${directive} ${allowed}`,
  )
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
${style && html`<style>${new Html(style)}</style>`}
</head>
<body>
<main>
${publisher && html`<p class="publisher">${publisher.name}</p>`}
${main}
</main>
</body>
</html>
`
  sendCompressedHtml(ctx, text)
  return text
}

const withHash = (allowed: string | undefined, style: string): string =>
  [allowed, `'sha256-${createHash('sha256').update(style).digest('base64')}'`].filter(Boolean).join(' ')

/** The style sheet of a publisher. It is part of the page, because each organisation has its own. */
function publisherStyle({ brand_color }: Publisher): string {
  const name =
    '.publisher{margin:0 0 1.25rem;padding-left:.7rem;border-left:4px solid var(--strong);font:600 1rem/1.4 var(--font)}'
  if (brand_color === null) return name
  const { light, dark } = readableColors(brand_color)
  const tokens = ({ color, on }: BrandColors) => `:root{--link:${color};--strong:${color};--on-strong:${on}}`
  return `${tokens(light)}@media(prefers-color-scheme:dark){${tokens(dark)}}${name}`
}
