import { z } from 'zod'
import type { Operation } from '#sql/account/usage/customer-requests.ts'
import { type Columns, dataTable } from '../../http/html/data-table.ts'
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

type Counts = Pick<Operation, '2' | '3' | '4' | '5'>

export const classColumns: Columns<Counts> = {
  'Successful (2xx)': ['number', (row) => count(row[2])],
  '3xx': ['number', (row) => count(row[3])],
  'Rejected (4xx)': ['number', (row) => count(row[4])],
  'Failed (5xx)': ['number', (row) => (row[5] > 0 ? html`<span class="bad">${count(row[5])}</span>` : 0)],
}

export const operationsTable = (rows: readonly Operation[], caption: string): Html =>
  dataTable(caption, rows, {
    Operation: (row) => html`<code>${row.operation}</code>`,
    ...classColumns,
    'Average duration': ['number', (row) => `${count(Math.round(row.ms))} ms`],
  })
