import { config } from '#lib/config.ts'
import { dashboardHref } from '../http/hosts.ts'
import { codeBlock } from '../http/html/highlight.ts'
import { type Html, html } from '../http/html/html.ts'
import { icon } from '../http/html/icons.ts'
import { setDocsHeaders } from '../http/openapi/viewer.ts'
import { sendCompressedHtml } from '../http/pages/compressed-html.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'

const products = [
  ['mail', 'Email', 'Send, receive, campaigns and templates, from your own domains.', 'email'],
  ['bell', 'Notifications', 'Push, workflows over several channels, WhatsApp and calls.', 'notify'],
  ['video', 'Video and live', 'Upload once, play everywhere. Live channels and recordings.', 'video'],
  ['people', 'Rooms', 'Video calls in the browser, with recording and broadcast.', 'rooms'],
  ['folder', 'Files', 'Uploads that are scanned for malware, versions and previews.', 'files'],
  ['bot', 'Bots and wiki', 'Bots that answer from your documents and name their sources.', 'bots'],
  ['shield', 'Trust', 'Bot protection, identity checks, URL and IP reputation.', 'guard'],
  ['code', 'Webhooks', 'Signed events from every area, with retries and replay.', 'webhooks'],
] as const

const callOf = (base: string) => `curl ${base}/send/v1/messages \\
  -H "Authorization: Bearer $MILLRACE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "stream": "transactional",
    "from": { "email": "orders@example.com" },
    "to": "ann@example.org",
    "subject": "Your order 1042",
    "html": "<p>We have shipped your order.</p>"
  }'`

/** Shows the product to browsers. Other clients are redirected to the documentation. */
export const root = route({
  ...openPage,
  path: '/',
  summary: 'Get the front page',
  raw: true,
  async handle({ ctx, origin }) {
    ctx.vary('accept')
    if (ctx.accepts('json', 'html') !== 'html') {
      ctx.redirect('/docs')
      return
    }
    setDocsHeaders(ctx)
    sendCompressedHtml(ctx, frontPage(origin).text)
  },
})

const frontPage = (origin: string): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace</title>
<meta name="description" content="One API for email, notifications, video, rooms, files, bots and trust, on your own servers.">
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body class="alone front">
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="/"><img src="/docs/assets/icon.svg" alt="" width="26" height="26">Millrace</a>
<nav aria-label="Main"><a href="/docs">Docs</a><a href="/docs/guides/quickstart">Quickstart</a><a class="act" href="${dashboardHref}">Dashboard</a></nav>
</header>
<main id="main" tabindex="-1">
<section class="hero">
<div><h1>One API for everything your product sends, streams and checks</h1>
<p class="lead">Email, push, video, live, rooms, files, bots and trust. All areas use the same keys, errors, events and dashboard, on your own servers.</p>
<p class="acts"><a class="act" href="${dashboardHref}">Open the dashboard</a><a class="other" href="/docs/guides/quickstart">Read the quickstart</a></p></div>
<div><h2 class="small">Your first call</h2>
${codeBlock(callOf(origin), 'sh')}
<p class="quiet">Response: <code>202</code> with the <code>id</code> of the message. The dashboard shows each delivery attempt.</p></div>
</section>
<section><h2>Areas</h2>
<ul class="products">${products.map(([name, title, text, guide]) => html`<li><a href="/docs/guides/${guide}">${icon(name)}<strong>${title}</strong><span>${text}</span></a></li>`)}</ul></section>
<section class="start"><h2>Start</h2>
<ol><li><a href="${dashboardHref}">Sign in to the dashboard</a> and create an API key.</li>
<li>Send your <a href="/docs/guides/quickstart">first requests</a> with curl, <a href="/docs/guides/node">Node</a> or <a href="/docs/guides/python">Python</a>.</li>
<li>Receive <a href="/docs/guides/events">events</a> on your server with a webhook.</li></ol></section>
</main>
<footer><p id="service-status" role="status"><a href="${config.STATUS_PAGE ? '/status' : '/readyz'}">Service status</a></p>
<nav aria-label="More"><a href="/docs">Documentation</a><a href="/v1/openapi.json">OpenAPI</a><a href="/docs/postman.json">Postman</a><a href="/docs/guides/changelog">Changelog</a><a href="/docs/guides/start">Operate Millrace</a></nav></footer>
<script type="module" src="/docs/assets/front.js"></script>
</body>
</html>
`
