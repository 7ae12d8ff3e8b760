import type { Context } from 'koa'
import { type DashboardContents, dashboardFrame } from '../http/dashboard/contents.ts'
import { dashboardHref } from '../http/hosts.ts'
import { type Content, Html, html } from '../http/html/html.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { referenceUrl, setDocsHeaders, sortOperations } from '../http/openapi/viewer.ts'
import { sendCompressedHtml } from '../http/pages/compressed-html.ts'
import { chapters, type Side } from './guides.ts'
import type { Heading } from './markdown.ts'

export interface DocsPage {
  title: string
  /** Path that the navigation marks as the current page. */
  path: string
  main: Content
  side?: Side
  /** Area whose operations the navigation lists. */
  area?: string
  /** URL of the page in Markdown. */
  headings?: readonly Heading[]
  /** URL of the page in Markdown. */
  plain?: string
  /** All operations. The navigation lists their areas. */
  operations: readonly OperationEntry[]
}

const sides: Record<Side, { title: string; href: string }> = {
  build: { title: 'Build', href: '/docs' },
  run: { title: 'Operate', href: '/docs/guides/start' },
}

/** Returns the areas that have operations. */
export function areasOf(operations: readonly OperationEntry[]): [name: string, title: string][] {
  return [...new Map(operations.map(({ area }) => [area.name, area.title]))]
}

export function sendDocsPage(ctx: Context, page: DocsPage): void {
  setDocsHeaders(ctx)
  const { title, main, side = 'build', headings = [], plain } = page
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Millrace' ? title : `${title} · Millrace`}</title>
<link rel="icon" href="/docs/assets/icon.svg">
${plain && html`<link rel="alternate" type="text/markdown" href="${plain}">`}
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="/docs"><img src="/docs/assets/icon.svg" alt="" width="26" height="26">Millrace <span>docs</span></a>
<nav class="sides" aria-label="Audience">${(Object.keys(sides) as Side[]).map(
    (one) => html`<a href="${sides[one].href}"${one === side && new Html(' class="chosen"')}>${sides[one].title}</a>`,
  )}</nav>
<search><label class="unseen" for="search-field">Search the documentation</label>
<input id="search-field" type="search" placeholder="Search (press /)" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list">
<ul id="search-results" role="listbox" aria-label="Search results" hidden></ul><p id="search-status" class="unseen" role="status"></p></search>
<a class="dashboard" href="${dashboardHref}">Dashboard</a>
<button id="theme-switch" type="button" aria-label="Theme: system">◐</button>
</header>
<details id="contents" open><summary>Contents</summary>
<nav aria-label="Contents">${contents(page, side)}</nav></details>
<main id="main" tabindex="-1">${main}
${plain && html`<p class="plain"><a href="${plain}">View as Markdown</a></p>`}</main>
${headings.length > 1 && html`<aside><details id="on-this-page" open><summary>On this page</summary><nav aria-label="On this page"><ul>${headings.map(({ title: text, anchor }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul></nav></details></aside>`}
<script type="module" src="/docs/assets/docs.js"></script>
</body>
</html>
`
  sendCompressedHtml(ctx, text)
}

/** Returns links to the dashboard pages that belong to a guide. */
export function dashboardLinks(guide: string, { sections }: Pick<DashboardContents, 'sections'>): Html {
  const own = sections.filter((section) => section.guide === guide)
  if (own.length === 0) return html``
  const href = (path: string) => dashboardHref + path.slice(dashboardFrame.base.length)
  return html`<p class="in-dashboard">In the dashboard: ${own.map(({ title, path }, i) => html`${i > 0 && ', '}<a href="${href(path)}">${title}</a>`)}</p>`
}

function contents({ path, area, operations }: DocsPage, side: Side): Content {
  const current = (href: string) => new Html(href === path ? ' aria-current="page"' : '')
  const link = (href: string, text: Content) => html`<a href="${href}"${current(href)}>${text}</a>`
  const guideLists = chapters()
    .filter((chapter) => chapter.side === side)
    .map(
      (chapter) =>
        html`<h2>${chapter.title}</h2><ul>${chapter.guides.map(({ name, title }) => html`<li>${link(`/docs/guides/${name}`, title)}</li>`)}</ul>`,
    )
  if (side === 'run') return guideLists
  const ofArea = (name: string) =>
    sortOperations(operations.filter((one) => one.area.name === name)).map(({ id, method, summary }) => {
      const mark = html`<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`
      return html`<li>${link(referenceUrl(id), html`${mark}<span>${summary}</span>`)}</li>`
    })
  const areaList = areasOf(operations).map(
    ([name, title]) =>
      html`<li>${link(`/docs/reference/${name}`, title)}${name === area && html`<ul class="of-area">${ofArea(name)}</ul>`}</li>`,
  )
  return html`${guideLists}<h2>Reference</h2><ul>${areaList}</ul>`
}
