import type { Context } from 'koa'
import { sendCompressedHtml } from '../pages/compressed-html.ts'
import { assetUrl } from './assets.ts'
import type { Frame, Section, SectionGroup, Viewer } from './frame.ts'
import { brand, guideHref, renderHeader } from './header.ts'
import { type Content, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { renderNavigation } from './navigation.ts'

export interface View {
  title: string
  main: Content
  /** Default: 200. */
  status?: number
  reaches?: PageOrigins
}

export interface PageOrigins {
  pictures?: readonly string[]
  sends?: readonly string[]
  frames?: readonly string[]
}

const policyOf = ({ pictures = [], sends = [], frames = [] }: PageOrigins): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...pictures].join(' '),
    ["connect-src 'self'", ...sends].join(' '),
    ...(frames.length > 0 ? [['frame-src', ...frames].join(' ')] : []),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

export function sendPage(ctx: Context, page: Html, reaches: PageOrigins = {}): void {
  ctx.set('content-security-policy', policyOf(reaches))
  ctx.set('cross-origin-opener-policy', 'same-origin')
  // `no-referrer` would make browsers send forms with `Origin: null`.
  ctx.set('referrer-policy', 'same-origin')
  ctx.set('x-frame-options', 'DENY')
  ctx.set('cache-control', 'no-store')
  ctx.type = 'text/html; charset=utf-8'
  sendCompressedHtml(ctx, page.text)
}

const head = (frame: Frame, title: string, more?: Content) => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Millrace</title>
<link rel="icon" href="${assetUrl(frame, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl(frame, 'frame.css')}">
<script src="${assetUrl(frame, 'theme.js')}"></script>
${more}`

export interface PageFrame {
  frame: Frame
  groups: readonly SectionGroup[]
  section: Section | undefined
  viewer: Viewer
  /** Content of the header next to the name of the product. */
  context?: Content
  banner?: Content
}

export function document(view: View, { frame, groups, section, viewer, context, banner }: PageFrame): Html {
  const { told } = viewer
  const { menu, side } = renderNavigation(frame, groups, section)
  const main = html`${view.main}`
  return html`<!doctype html>
<html lang="en" data-base="${frame.base}"${viewer.ends && endsOf(viewer.ends)}>
<head>
${head(
  frame,
  view.title,
  html`${main.text.includes(' data-plot=') && plotFiles(frame)}
<script type="module" src="${assetUrl(frame, frame.script)}"></script>`,
)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${renderHeader(frame, { viewer, section, context })}
${menu}
<div class="sides">
${side}
<script src="${assetUrl(frame, 'navigation.js')}"></script>
<main id="main" tabindex="-1">
${banner && html`<div class="banner" role="note">${banner}</div>`}
${told !== null && html`<p class="told" role="status">${told}</p>`}
${section?.guide && html`<p class="guide"><a href="${guideHref(section.guide)}">${icon('book')}Guide<span class="unseen">: ${section.title}</span></a></p>`}
${main}
</main>
</div>
<dialog id="confirm" aria-labelledby="confirm-title"></dialog>
</body>
</html>
`
}

/** Charts need these files, which are half of the JavaScript. Pages without charts do not load them. */
const plotFiles = (frame: Frame): Html => html`<link rel="stylesheet" href="${assetUrl(frame, 'uplot.css')}">
<script src="${assetUrl(frame, 'uplot.js')}" defer></script>`

const endsOf = ({ now, idleUntil, expiresAt }: NonNullable<Viewer['ends']>) =>
  html` data-now="${now.toISOString()}" data-idle-until="${idleUntil.toISOString()}" data-expires-at="${expiresAt.toISOString()}"`

export function bareDocument(frame: Frame, { title, main }: View, more?: Html): Html {
  return html`<!doctype html>
<html lang="en" data-base="${frame.base}">
<head>
${head(frame, title, more)}
</head>
<body class="bare">
<main id="main">
${brand(frame.base)}
${main}
</main>
</body>
</html>
`
}
