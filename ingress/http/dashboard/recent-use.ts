import * as minutes from '#sql/account/usage/request-minutes.ts'
import type { DatabasePool } from '#sql/db.ts'
import { dataTable } from '../html/data-table.ts'
import { count } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

const hours = 24

/** Renders an organisation’s API requests to an area in the last 24 hours, by operation. */
export async function recentUse(db: DatabasePool, orgId: string, area: string): Promise<Html> {
  const until = new Date()
  const since = new Date(until.getTime() - hours * 3_600_000)
  const sums = await minutes.sums(db, orgId, { since, until, by: 'operation' })
  const byOperation = Map.groupBy(
    sums.filter(({ by }) => by.startsWith(`${area}.`)),
    ({ by }) => by,
  )
  const rows = [...byOperation].map(([operation, classes]) => ({
    operation,
    requests: classes.reduce((sum, one) => sum + one.count, 0),
    failed: classes.reduce((sum, one) => sum + (one.class >= 4 ? one.count : 0), 0),
  }))
  const table = dataTable('API requests in the last 24 hours', rows, {
    Operation: [
      '',
      ({ operation }) => html`<a href="/app/requests?operation=${operation}"><code>${operation}</code></a>`,
    ],
    Requests: ['number', ({ requests }) => count(requests)],
    Errors: ['number', ({ failed }) => count(failed)],
  })
  return html`<section aria-labelledby="use"><h2 id="use">API requests in the last 24 hours</h2>
${rows.length === 0 ? html`<p class="quiet">No requests yet. Use the call above with an <a href="/app/keys">API key</a>.</p>` : table}</section>`
}
