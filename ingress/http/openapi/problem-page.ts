import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Operation } from '../area.ts'
import { dashboardHref } from '../hosts.ts'
import { html } from '../html/html.ts'
import { sendCompressedHtml } from '../pages/compressed-html.ts'
import { errorBody } from '../problems.ts'
import { referenceUrl, setDocsHeaders } from './viewer.ts'

/** Sends a problem as a web page to browsers, and as JSON to clients that do not prefer HTML. */
export function renderDocsProblem(ctx: Context, problem: Problem): void {
  ctx.status = problem.status
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify(errorBody(problem, ctx.state.requestId))
    return
  }
  setDocsHeaders(ctx)
  const [title, sentence] = inWords(problem)
  const isRepeated = problem.status === 503 && ctx.method === 'GET'
  const { operation } = ctx.state as { operation?: Operation }
  const reference = operation && !operation.route.hidden ? referenceUrl(operation.id) : undefined
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isRepeated && html`<meta http-equiv="refresh" content="5">`}
<title>${title} · Millrace</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body class="alone problem">
<main id="main">
<p><a class="home" href="/"><img src="/docs/assets/icon.svg" alt="" width="26" height="26">Millrace</a></p>
<p class="status" aria-hidden="true">${problem.status}</p>
<h1>${title}</h1>
<p role="alert">${sentence}</p>
${isRepeated && html`<p>This page reloads every five seconds.</p>`}
${reference && html`<p>This URL is part of the API. <a href="${reference}">Show how to call it</a>.</p>`}
<ul class="cards">
<li><a href="/docs">Documentation</a></li>
<li><a href="/docs/guides/quickstart">Quickstart</a></li>
<li><a href="/docs/guides/errors">Errors</a></li>
<li><a href="${dashboardHref}">Dashboard</a></li>
</ul>
<p class="quiet">Request ID: <code>${ctx.state.requestId}</code></p>
</main>
</body>
</html>
`
  sendCompressedHtml(ctx, text)
}

function inWords({ status, message }: Problem): [title: string, sentence: string] {
  if (status === 404)
    return ['Page not found', 'This server has no page at this URL. Check the URL, or start from one of these pages:']
  if (status === 500) return ['Something went wrong', 'Millrace has logged the error. Reload the page to try again.']
  return [titles[status] ?? 'This page cannot be shown', message]
}

const titles: Readonly<Record<number, string>> = {
  401: 'API key required',
  403: 'Access denied',
  405: 'Method not allowed',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
}
