import * as overview from '#sql/wiki/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
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

const failureTable = (rows: readonly overview.FailedSnapshot[]): Html =>
  dataTable({ caption: 'Failed snapshots', key: (row) => `snapshot-${row.id}` }, rows, {
    Source: (row) => row.url,
    Organisation: (row) => row.org,
    Reason: ['wide break', (row) => html`${row.error_code} <span class="quiet">${row.error_message}</span>`],
    Time: (row) => ago(row.captured_at),
  })
