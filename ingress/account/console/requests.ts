import { z } from 'zod'
import * as customers from '#sql/account/usage/customer-requests.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { count } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { classColumns, operationsTable, Span, since, spanLinks } from './request-tables.ts'
import { sections } from './sections.ts'

const mostOperations = 200
const mostOrgs = 20

export const list = page({
  path: '/requests',
  summary: 'List requests of all organisations',
  section: sections.requests,
  query: z.object({ span: Span }),
  async view({ db, query: { span } }) {
    const [operations, failing] = await Promise.all([
      customers.byOperation(db, { since: since(span), limit: mostOperations }),
      customers.mostErrors(db, { since: since(span), limit: mostOrgs }),
    ])
    const sum = (name: 2 | 3 | 4 | 5) => operations.reduce((all, row) => all + row[name], 0)
    const main = html`<div class="title"><h1>Requests</h1>${spanLinks('/ops/requests', span)}</div>
<p class="lead">Millrace counts every request that uses an API key of an organisation. Operators can read its request log only while an owner allows it.</p>
${renderTiles([
  ['All requests', count(sum(2) + sum(3) + sum(4) + sum(5))],
  ['Rejected (4xx)', count(sum(4))],
  ['Failed (5xx)', count(sum(5))],
])}
<section aria-labelledby="failing"><h2 id="failing">Organisations with the most errors</h2>
${
  failing.length === 0
    ? html`<p class="empty">No requests were rejected or failed in the last ${span}.</p>`
    : dataTable('Organisations with the most errors', failing, {
        Organisation: (row) => html`<a href="/ops/requests/${row.id}?span=${span}" title="${row.id}">${row.name}</a>`,
        ...classColumns,
      })
}</section>
<section aria-labelledby="operations"><h2 id="operations">By operation</h2>
${operations.length === 0 ? html`<p class="empty">No requests in the last ${span}.</p>` : operationsTable(operations, 'Requests by operation')}</section>`
    return { title: 'Requests', main }
  },
})
