import type { Context } from 'koa'
import { html } from '../html/html.ts'
import { sendCompressedHtml } from '../pages/compressed-html.ts'
import { openRoute } from '../pages/open-routes.ts'
import { catalogue } from '../services.ts'
import type { OperationEntry } from './document.ts'

export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function setDocsHeaders(ctx: Context): void {
  ctx.set('content-security-policy', docsPolicy)
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('x-content-type-options', 'nosniff')
  ctx.set('cache-control', 'no-cache')
  ctx.type = 'text/html; charset=utf-8'
}

export const referenceUrl = (id: string): string => `/docs/reference/${id.replace('.', '/')}`

export function docsPage(title: string, base: string, document: string) {
  return {
    ...openRoute,
    raw: 'text/html',
    handle: async ({ ctx, services }: ListCall) => {
      const listed = services(catalogue).filter(({ area }) => area.base_path === base)
      sendList(ctx, title, document, listed)
    },
  } as const
}

interface ListCall {
  ctx: Context
  services: (wanted: typeof catalogue) => readonly OperationEntry[]
}

function sendList(ctx: Context, title: string, document: string, operations: readonly OperationEntry[]): void {
  setDocsHeaders(ctx)
  const areas = [...new Map(operations.map(({ area }) => [area.name, area.title]))]
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body class="alone">
<main id="main">
<p><a href="/docs">Documentation</a></p>
<h1>${title}</h1>
<p>OpenAPI document: <a href="${document}"><code>${document}</code></a>.</p>
${areas.map(([name, heading]) => html`<h2>${heading}</h2>${operationList(sortOperations(operations).filter(({ area }) => area.name === name))}`)}
</main>
</body>
</html>
`
  sendCompressedHtml(ctx, text)
}

const verbs = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']

export function sortOperations(operations: readonly OperationEntry[]): OperationEntry[] {
  const resourceOf = ({ id }: OperationEntry) => id.split('.').slice(0, 2).join('.')
  const depth = ({ path }: OperationEntry) => path.split('/').length
  const byPlace = (a: OperationEntry, b: OperationEntry) =>
    depth(a) - depth(b) || a.path.localeCompare(b.path) || verbs.indexOf(a.method) - verbs.indexOf(b.method)
  return [...Map.groupBy(operations, resourceOf).values()].flatMap((own) => own.toSorted(byPlace))
}

export const operationList = (operations: readonly OperationEntry[]) => html`<ul class="operations">
${operations.map(
  ({ id, method, path, summary }) => html`<li><a href="${referenceUrl(id)}"><span class="summary">${summary}</span>
<span class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></span></a></li>`,
)}</ul>`
