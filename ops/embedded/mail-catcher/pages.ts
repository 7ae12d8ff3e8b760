import { ago, count, counted, formatInstant } from '../../../ingress/http/html/format.ts'
import { type Content, type Html, html, queryString } from '../../../ingress/http/html/html.ts'
import type { Authentication } from './authentication.ts'
import type { CaughtMessage } from './store.ts'
import { factsOf, type View } from './view.ts'

export const tabs = ['html', 'text', 'headers', 'source'] as const

export type Tab = (typeof tabs)[number]

const names: Record<Tab, string> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' }

const mostShown = 1024 ** 2

const document = (title: string, main: Content): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Mail catcher</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/catcher.css">
<script type="module" src="/catcher.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 8c3-3 6-3 9 0s6 3 9 0M3 13c3-3 6-3 9 0s6 3 9 0M3 18c3-3 6-3 9 0s6 3 9 0"/></svg>Mail catcher</a>
<p class="lead caught">Catches all email. Nothing is delivered.</p>
</header>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`.text

export function listPage(
  shown: readonly CaughtMessage[],
  { query, found, kept }: { query: string; found: number; kept: number },
): string {
  const none = query
    ? 'No messages match all these words.'
    : 'No messages yet. New messages will appear here automatically.'
  const main = html`<div class="title"><h1>Messages</h1>
<div id="all" data-live>${kept > 0 && html`<form method="post" action="/messages" data-confirm="Delete all ${counted(kept, 'message')}?"><button>Delete all</button></form>`}</div></div>
<form class="filter" role="search"><div class="wide"><label for="q">Words in sender, recipient, subject or Message-ID</label>
<input id="q" name="q" type="search" value="${query}"></div><div class="send"><button>Search</button>${query && html`<a href="/">All</a>`}</div></form>
<div id="live" data-live>${shown.length === 0 ? html`<p class="empty">${none}</p>` : table(shown)}
${found > shown.length && html`<p class="more quiet">${count(found - shown.length)} older messages are not listed. Use the search to find them.</p>`}</div>`
  return document('Messages', main)
}

const table = (shown: readonly CaughtMessage[]): Html => html`<table class="data stacks mails">
<caption class="unseen">Caught messages, newest first</caption>
<thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">From</th><th scope="col" class="number">Size</th><th scope="col">Received</th></tr></thead>
<tbody>${shown.map(
  ({ id, subject, to, from, envelope, bytes, received_at }) => html`<tr>
<th scope="row" class="break"><a href="/messages/${id}">${subject || 'No subject'}</a></th>
<td data-label="To" class="break">${to || envelope.rcpt_to.join(', ')}</td>
<td data-label="From" class="break">${from || envelope.mail_from || '<>'}</td>
<td data-label="Size" class="number">${size(bytes)}</td><td data-label="Received">${ago(new Date(received_at))}</td></tr>`,
)}</tbody></table>`

export function messagePage(
  shown: View,
  given: { authentication: Authentication; source: Buffer; tab: Tab | undefined; withImages: boolean },
): string {
  const { id, subject, from, to, received_at, message_id, envelope, bytes, attachments } = shown
  const there = tabs.filter((tab) => (tab !== 'html' || shown.html !== null) && (tab !== 'text' || shown.text !== null))
  const tab = given.tab !== undefined && there.includes(given.tab) ? given.tab : (there[0] ?? 'headers')
  const facts: [string, Content][] = [
    ['From', from || 'None'],
    ['To', to || 'None'],
    ['Received', html`${formatInstant(new Date(received_at))} UTC`],
    ['Size', size(bytes)],
    ['Envelope', `${envelope.mail_from || '<>'} → ${envelope.rcpt_to.join(', ')}`],
    ['Message-ID', message_id || 'None'],
    ['Sent by', `${envelope.helo} (${envelope.remote_address})`],
  ]
  const main = html`<p class="trail"><a href="/">Messages</a></p>
<div class="title"><h1>${subject || 'No subject'}</h1><a class="button" href="/messages/${id}.eml">Download</a></div>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${attachments.length > 0 && attachmentsOf(id, attachments)}
<section><div class="title"><h2 class="unseen">Content</h2><nav class="spans" aria-label="Content">${there.map(
    (one) =>
      html`<a href="${queryString({ show: one })}"${one === tab && html` aria-current="page"`}>${names[one]}</a>`,
  )}</nav>${tab === 'html' && imagesLink(given.withImages)}</div>
${contentOf(tab, shown, given)}</section>
${authenticationOf(given.authentication)}`
  return document(subject || 'No subject', main)
}

const imagesLink = (withImages: boolean): Html =>
  withImages
    ? html`<a href="?show=html">Hide external images</a>`
    : html`<a href="?show=html&amp;images=1">Load external images</a>`

function contentOf(tab: Tab, shown: View, { source, withImages }: { source: Buffer; withImages: boolean }): Html {
  if (tab === 'html') {
    const address = `/messages/${shown.id}/html${withImages ? '?images=1' : ''}`
    return html`<iframe class="mail" title="The message as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${address}"></iframe>`
  }
  if (tab === 'text') return html`<pre class="mail" tabindex="0">${shown.text}</pre>`
  if (tab === 'source') {
    const cut = source.length > mostShown
    return html`<pre class="mail" tabindex="0">${source.toString('utf8', 0, mostShown)}</pre>
${cut && html`<p class="more quiet">Only the first ${size(mostShown)} are shown. Download the message to see all.</p>`}`
  }
  return html`<table class="data stacks"><caption class="unseen">Header fields as received</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>${shown.headers.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td class="break wide"><code>${value}</code></td></tr>`)}</tbody></table>`
}

function authenticationOf({ dkim, spf, dmarc }: Authentication): Html {
  const row = (name: string, result: string, more: Content) =>
    html`<li><span class="result is-${result}">${name}=${result}</span> ${more}</li>`
  return html`<section><h2>Authentication</h2><ul class="groups">
${dkim.length === 0 && row('dkim', 'none', html`<span class="quiet">Not signed.</span>`)}
${dkim.map(({ result, comment, algorithm, domain, selector, aligned, covers }) =>
  row(
    'dkim',
    result,
    html`${algorithm} of ${domain} <span class="quiet">by selector ${selector}, ${aligned ? 'aligned with From' : 'not aligned with From'}${comment && `: ${comment}`}</span>
<details><summary>${counted(covers.length, 'covered field')}</summary><p class="quiet">${covers.join(', ')}</p></details>`,
  ),
)}
${row('spf', spf.result, html`<span class="quiet">${spf.comment}</span>`)}
${row('dmarc', dmarc.result, html`<span class="quiet">${dmarc.comment}</span>`)}</ul></section>`
}

const attachmentsOf = (id: string, attachments: View['attachments']): Html => html`<section><h2>Attachments</h2>
<ul class="groups">${attachments.map((attachment, number) => {
  const { filename, content_type, bytes } = factsOf(attachment)
  return html`<li><a href="/messages/${id}/attachments/${number}">${filename}</a> <span class="quiet">${content_type}, ${size(bytes)}</span></li>`
})}</ul></section>`

export const missingPage = (): string =>
  document(
    'Not found',
    html`<h1>Not found</h1><p class="empty">This message does not exist or was deleted. <a href="/">All messages</a></p>`,
  )

const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
