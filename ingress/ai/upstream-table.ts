import type { ShownUpstream } from '#sql/ai/upstreams.ts'
import { type Columns, dataTable } from '../http/html/data-table.ts'
import { ago, count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { statusBadge } from '../http/html/marks.ts'

const words: Record<ShownUpstream['states'][number], string> = {
  unknown: 'not used yet',
  up: 'available',
  failing: 'failing',
  resting: 'paused',
}

/**
 * Renders the status of the upstream servers as reported by all workers. This process does not know their URLs and
 * keys. Only operators may see the table, because its counts include all organisations.
 */
export const upstreamTable = (rows: readonly ShownUpstream[], counts: 'with counts' | 'without counts'): Html =>
  dataTable({ caption: 'Upstream servers, in order of use', key: ({ name }) => `upstream-${name}` }, rows, {
    'Upstream server': ['', ({ name }) => name],
    Status: stateOf,
    Models: ['break', modelsOf],
    ...(counts === 'with counts' && countColumns),
  })

const countColumns: Columns<ShownUpstream> = {
  Requests: ['number', ({ requests }) => count(requests)],
  Failed: ['number', ({ failures }) => count(failures)],
  'Last success': ({ last_ok_at }) => ago(last_ok_at),
  'Last failure': (row) =>
    html`${ago(row.last_failed_at)}${row.last_status !== null && html` <code>${row.last_status}</code>`}`,
}

const modelsOf = (row: ShownUpstream): string =>
  [...row.models, ...row.embedding_models, ...row.rerank_models].map(({ asked }) => asked).join(', ') || '–'

const stateOf = ({ states }: ShownUpstream): Html => {
  return html`${states.map((state) => html`${statusBadge(state, { shown: words[state] })} `)}`
}
