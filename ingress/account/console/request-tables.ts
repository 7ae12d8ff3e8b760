import { z } from 'zod'
import type { Operation } from '#sql/account/usage/customer-requests.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'

const hourMs = 3_600_000

export const spans = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs } as const

export const Span = z.enum(['1h', '24h', '7d']).catch('24h')

export const since = (span: z.output<typeof Span>): Date => new Date(Date.now() - spans[span])

export const spanLinks = (path: string, chosen: string, more: Record<string, string | undefined> = {}): Html =>
  html`<nav class="spans" aria-label="Period">${Object.keys(spans).map(
    (one) =>
      html`<a href="${path}${queryString({ ...more, span: one })}"${one === chosen && html` aria-current="true"`}>${one}</a>`,
  )}</nav>`

export const classHeads = html`<th scope="col" class="number">Successful (2xx)</th><th scope="col" class="number">3xx</th>
<th scope="col" class="number">Rejected (4xx)</th><th scope="col" class="number">Failed (5xx)</th>`

export const classCells = (row: Pick<Operation, '2' | '3' | '4' | '5'>): Html =>
  html`<td class="number" data-label="2xx">${count(row[2])}</td><td class="number" data-label="3xx">${count(row[3])}</td>
<td class="number" data-label="4xx">${count(row[4])}</td><td class="number" data-label="5xx">${row[5] > 0 ? html`<span class="bad">${count(row[5])}</span>` : 0}</td>`

export function operationsTable(rows: readonly Operation[], caption: string): Html {
  return html`<table class="data stacks"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Operation</th>${classHeads}<th scope="col" class="number">Average duration</th></tr></thead>
<tbody>${rows.map(
    (row) => html`<tr><th scope="row" class="break"><code>${row.operation}</code></th>${classCells(row)}
<td class="number" data-label="Average duration">${count(Math.round(row.ms))} ms</td></tr>`,
  )}</tbody></table>`
}
