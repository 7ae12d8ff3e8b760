import type { Context } from 'koa'
import { type Content, Html, html } from '../http/console/html.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { docsPolicy } from '../http/openapi/viewer.ts'
import { chapters } from './guides.ts'

/** A page of the documentation. */
export interface DocsPage {
  title: string
  /** What the contents mark as the page that is shown. */
  path: string
  main: Content
  head?: Content
  /** Every operation that is served: its areas are in the contents. */
  operations: readonly OperationEntry[]
}

/** The areas that have operations, as `[name, title]`. */
export function areasOf(operations: readonly OperationEntry[]): [name: string, title: string][] {
  return [...new Map(operations.map(({ area }) => [area.name, area.title]))]
}

/** Answers with a page: contents at the side, the search above. */
export function sendDocsPage(ctx: Context, { title, path, main, head, operations }: DocsPage): void {
  ctx.set('content-security-policy', docsPolicy)
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('cache-control', 'no-cache')
  ctx.type = 'text/html; charset=utf-8'
  const link = (href: string, text: string) =>
    html`<li><a href="${href}"${new Html(href === path ? ' aria-current="page"' : '')}>${text}</a></li>`
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Millrace' ? title : `${title} · Millrace`}</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
${head}
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header>
<a class="home" href="/docs">Millrace</a>
<search><label class="unseen" for="query">Search the documentation</label>
<input id="query" type="search" placeholder="Search (press /)" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found">
<ul id="found" role="listbox" aria-label="What was found" hidden></ul></search>
<button id="theme" type="button" aria-label="Dark or light">◐</button>
</header>
<details id="contents" open><summary>Contents</summary>
<nav aria-label="Contents">
${chapters().map((chapter) => html`<h2>${chapter.title}</h2><ul>${chapter.guides.map(({ name, title }) => link(`/docs/guides/${name}`, title))}</ul>`)}
<h2>Reference</h2><ul>${areasOf(operations).map(([name, title]) => link(`/docs/reference/${name}`, title))}</ul>
</nav></details>
<main id="main">${main}</main>
<script type="module" src="/docs/assets/docs.js"></script>
</body>
</html>
`
  ctx.body = text
}
