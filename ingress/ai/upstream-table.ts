import type { ShownUpstream } from '#sql/ai/upstreams.ts'
import { ago, count } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'

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
export const upstreamTable = (
  rows: readonly ShownUpstream[],
  counts: 'with counts' | 'without counts',
): Html => html`<table class="data stacks">
<caption class="unseen">Upstream servers, in order of use</caption>
<thead><tr><th scope="col">Upstream server</th><th scope="col">Status</th><th scope="col">Models</th>${counts === 'with counts' && countHeads}</tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="upstream-${row.name}"><th scope="row">${row.name}</th><td data-label="Status">${stateOf(row)}</td>
<td class="break" data-label="Models">${[...row.models, ...row.embedding_models].map(({ asked }) => asked).join(', ') || '–'}</td>${counts === 'with counts' && countsOf(row)}</tr>`,
)}</tbody></table>`

const countHeads = html`<th scope="col" class="number">Requests</th>
<th scope="col" class="number">Failed</th><th scope="col">Last success</th><th scope="col">Last failure</th>`

const countsOf = (row: ShownUpstream): Html => html`
<td class="number" data-label="Requests">${count(row.requests)}</td><td class="number" data-label="Failed">${count(row.failures)}</td>
<td data-label="Last success">${ago(row.last_ok_at)}</td><td data-label="Last failure">${ago(row.last_failed_at)}${row.last_status !== null && html` <code>${row.last_status}</code>`}</td>`

const stateOf = ({ states }: ShownUpstream): Html => {
  const isBad = states.some((state) => state === 'failing' || state === 'resting')
  return html`<span class="${isBad && 'bad'}">${states.map((state) => words[state]).join('; ')}</span>`
}
