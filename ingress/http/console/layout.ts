import type { Context } from 'koa'
import { assetUrl } from './assets.ts'
import type { Section } from './contents.ts'
import { type Content, type Html, html } from './html.ts'
import type { Operator } from './session.ts'

/** What a page shows. */
export interface View {
  title: string
  main: Content
  /** 200 unless said. */
  status?: number
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers with a page under the console's policy: its own scripts, styles and addresses only, in no frame, in no cache. */
export function sendPage(ctx: Context, page: Html): void {
  ctx.set('content-security-policy', policy)
  ctx.set('cross-origin-opener-policy', 'same-origin')
  // Not `no-referrer`: with that, browsers send forms with `Origin: null`.
  ctx.set('referrer-policy', 'same-origin')
  ctx.set('x-frame-options', 'DENY')
  ctx.set('cache-control', 'no-store')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = page.text
}

const head = (title: string, more?: Html) => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Millrace</title>
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUrl('uplot.css')}">
<link rel="stylesheet" href="${assetUrl('console.css')}">
${more}`

const brand = html`<a class="brand" href="/ops"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 8c3-3 6-3 9 0s6 3 9 0M3 13c3-3 6-3 9 0s6 3 9 0M3 18c3-3 6-3 9 0s6 3 9 0"/></svg>Millrace</a>`

/** A page of somebody who is signed in. */
export function document(
  view: View,
  { sections, section, operator }: { sections: readonly Section[]; section: Section | undefined; operator: Operator },
): Html {
  const { told } = operator
  const links = sections.map(
    (one) => html`<li><a href="${one.path}"${one === section && html` aria-current="page"`}>${one.title}</a></li>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
${head(
  view.title,
  html`<script src="${assetUrl('uplot.js')}" defer></script>
<script type="module" src="${assetUrl('console.js')}"></script>`,
)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
${brand}
<nav aria-label="Console"><ul>${links}</ul></nav>
<p class="stream" id="stream" role="status" hidden></p>
<form class="leave" method="post" action="/ops/sign-out">
<input type="hidden" name="token" value="${operator.csrf}">
<span class="who" title="The key you signed in with">${operator.key_name}</span>
<button class="plain">Sign out</button>
</form>
</header>
<main id="main" tabindex="-1">
${told !== null && html`<p class="told" role="status">${told}</p>`}
${view.main}
</main>
<dialog id="confirm" aria-labelledby="confirm-title"></dialog>
</body>
</html>
`
}

/** A page of its own: sign-in, and what went wrong. */
export function bareDocument({ title, main }: View, more?: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
${head(title, more)}
</head>
<body class="bare">
<main id="main">
${brand}
${main}
</main>
</body>
</html>
`
}
