import * as overview from '#sql/wiki/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { ago, count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { renderTiles } from '../http/html/tiles.ts'

const most = 20

export const wikiRegion: Region = {
  everyMs: 15_000,
  fits: (parts) => parts.length === 0,
  async read(db) {
    const [counts, failures] = await Promise.all([overview.counts(db), overview.failures(db, most)])
    const tiles: [string, number][] = [
      ['published', counts.published],
      ['drafts', counts.drafts],
      ['withdrawn', counts.withdrawn],
      ['claims', counts.claims],
      ['sources', counts.sources],
      ['pending snapshots', counts.pending],
      ['snapshots that failed in the last week', counts.failed],
    ]
    return html`${renderTiles(tiles.map(([name, value]) => [name, count(value)] as const))}
${failures.length > 0 && html`<section aria-labelledby="failures"><h2 id="failures">Failed snapshots</h2>${failureTable(failures)}</section>`}`
  },
}

const failureTable = (rows: readonly overview.FailedSnapshot[]): Html => html`<table class="data stacks">
<caption class="unseen">Failed snapshots</caption>
<thead><tr><th scope="col">Source</th><th scope="col">Organisation</th><th scope="col">Reason</th><th scope="col">Time</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="snapshot-${row.id}"><th scope="row" class="break">${row.url}</th><td data-label="Organisation">${row.org}</td>
<td class="wide break" data-label="Reason">${row.error_code} <span class="quiet">${row.error_message}</span></td><td data-label="Time">${ago(row.captured_at)}</td></tr>`,
)}</tbody></table>`
