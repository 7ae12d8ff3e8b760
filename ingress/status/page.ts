import type { Context } from 'koa'
import type { Incident } from '#sql/status/incidents.ts'
import { type Content, html } from '../http/html/html.ts'
import { setDocsHeaders } from '../http/openapi/viewer.ts'
import { sendCompressedHtml } from '../http/pages/compressed-html.ts'
import { bars } from './bars.ts'
import type { AreaSummary, Summary } from './summary.ts'
import { describeState, kindWords, reasonWords, stateWords } from './words.ts'

const time = (at: Date): Content =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`

export function sendStatusPage(ctx: Context, summary: Summary): void {
  const { state, measured_at, areas, open, past } = summary
  const title = (name: string) => areas.find((area) => area.name === name)?.title ?? name
  setDocsHeaders(ctx)
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Status: ${stateWords[state]} · Millrace</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/status.css">
<link rel="alternate" type="application/atom+xml" title="Incidents" href="/status.atom">
</head>
<body>
<main>
<header><p><a href="/">Millrace</a></p><h1>Status</h1></header>
<p class="state ${state}" role="status">${describeState(summary)}</p>
<p class="quiet">${measured_at && html`Measured at ${time(measured_at)}. `}Also as <a href="/status.json">JSON</a> and as a <a href="/status.atom">feed of incidents</a>.</p>
${open.length > 0 && html`<section><h2>Open incidents</h2>${open.map((one) => incident(one, title))}</section>`}
<section><h2>Areas, last 90 days</h2><ul class="areas">${areas.map(areaRow)}</ul>
<p class="key quiet"><span class="ok">Works</span> <span class="degraded">Degraded</span> <span class="down">Down</span> <span class="unknown">Not measured</span></p></section>
<section><h2>Past incidents</h2>${past.length > 0 ? past.map((one) => incident(one, title)) : html`<p>No incident ended in the last 90 days.</p>`}</section>
</main>
</body>
</html>
`
  sendCompressedHtml(ctx, text)
}

const areaRow = ({ title, state, reason, since, uptime, days }: AreaSummary): Content => html`<li>
<div class="line"><strong>${title}</strong><span class="word ${state}">${stateWords[state]}</span></div>
${bars(title, days)}
<p class="quiet">${reason && html`${reasonWords[reason]} ${since && html`Since ${time(since)}. `}`}${uptime === null ? 'Not measured yet.' : `${uptime} % without an outage.`}</p></li>`

const incident = (
  { id, areas, kind, title, started_at, ended_at, updates }: Incident,
  titleOf: (name: string) => string,
): Content => html`<article id="${id}" class="incident ${kind}"><h3>${kindWords[kind]}: ${title}</h3>
<p class="quiet">${areas.map(titleOf).join(', ')}. From ${time(started_at)}${ended_at && html` to ${time(ended_at)}`}.</p>
<ul>${updates.map(({ at, text }) => html`<li>${time(at)}: ${text}</li>`)}</ul></article>`
