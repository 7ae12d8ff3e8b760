import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { dashboardHref } from '../hosts.ts'
import { html } from '../html/html.ts'
import { sendCompressedHtml } from '../pages/compressed-html.ts'
import { errorBody } from '../problems.ts'
import { setDocsHeaders } from './viewer.ts'

/** Sends a problem as a web page to browsers, and as JSON to clients that do not prefer HTML. */
export function renderDocsProblem(ctx: Context, problem: Problem): void {
  ctx.status = problem.status
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify(errorBody(problem, ctx.state.requestId))
    return
  }
  setDocsHeaders(ctx)
  const title = problem.status === 404 ? 'Page not found' : 'This page cannot be shown'
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Millrace</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body class="alone">
<main id="main">
<h1>${title}</h1>
<p role="alert">${problem.status === 404 ? 'This server has no page at this URL. Check the URL, or start from one of these pages:' : problem.message}</p>
<ul>
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
