import type { Context } from 'koa'
import { docsHref } from '../hosts.ts'
import { assetUrl } from './assets.ts'
import type { Frame, Section, SectionGroup, Viewer } from './frame.ts'
import { type Content, type Html, html } from './html.ts'

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
  ctx.body = page.text
}

const head = (frame: Frame, title: string, more?: Html) => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Millrace</title>
<link rel="icon" href="${assetUrl(frame, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl(frame, 'uplot.css')}">
<link rel="stylesheet" href="${assetUrl(frame, 'frame.css')}">
${more}`

const brand = ({ base }: Frame) =>
  html`<a class="brand" href="${base}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 8c3-3 6-3 9 0s6 3 9 0M3 13c3-3 6-3 9 0s6 3 9 0M3 18c3-3 6-3 9 0s6 3 9 0"/></svg>Millrace</a>`

export interface PageFrame {
  frame: Frame
  groups: readonly SectionGroup[]
  section: Section | undefined
  viewer: Viewer
  context?: Content
  banner?: Content
}

export function document(view: View, { frame, groups, section, viewer, context, banner }: PageFrame): Html {
  const { told } = viewer
  const links = groups.flatMap(({ title, sections }) => (sections.length > 0 ? [group(title, sections, section)] : []))
  return html`<!doctype html>
<html lang="en" data-base="${frame.base}"${viewer.ends && endsOf(viewer.ends)}>
<head>
${head(
  frame,
  view.title,
  html`<script src="${assetUrl(frame, 'uplot.js')}" defer></script>
<script type="module" src="${assetUrl(frame, frame.script)}"></script>`,
)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
${brand(frame)}
${context && html`<span class="context">${context}</span>`}
<p class="stream" id="stream" role="status" hidden></p>
<form class="leave" method="post" action="${frame.base}/sign-out">
<input type="hidden" name="token" value="${viewer.csrf}">
<a href="${docsHref}">Documentation</a>
<span class="who" title="${viewer.hint}">${viewer.label}</span>
<button class="plain">Sign out</button>
</form>
</header>
<details class="menu"><summary>Menu${section && html` <span class="quiet">${section.title}</span>`}</summary><nav aria-label="${frame.name}, menu">${links}</nav></details>
<div class="sides">
<nav class="side" aria-label="${frame.name}">${links}</nav>
<main id="main" tabindex="-1">
${banner && html`<div class="banner" role="note">${banner}</div>`}
${told !== null && html`<p class="told" role="status">${told}</p>`}
${view.main}
</main>
</div>
<dialog id="confirm" aria-labelledby="confirm-title"></dialog>
</body>
</html>
`
}

const endsOf = ({ now, idleUntil, expiresAt }: NonNullable<Viewer['ends']>) =>
  html` data-now="${now.toISOString()}" data-idle-until="${idleUntil.toISOString()}" data-expires-at="${expiresAt.toISOString()}"`

const group = (title: string, sections: readonly Section[], current: Section | undefined) =>
  html`<p>${title}</p><ul>${sections.map(
    (one) =>
      html`<li><a href="${one.path}"${one.path === current?.path && html` aria-current="page"`}>${one.title}</a></li>`,
  )}</ul>`

export function bareDocument(frame: Frame, { title, main }: View, more?: Html): Html {
  return html`<!doctype html>
<html lang="en" data-base="${frame.base}">
<head>
${head(frame, title, more)}
</head>
<body class="bare">
<main id="main">
${brand(frame)}
${main}
</main>
</body>
</html>
`
}
