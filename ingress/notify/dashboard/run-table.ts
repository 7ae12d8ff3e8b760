import type * as runs from '#sql/notify/runs.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'

/** The columns contain no text of a run, because the text is personal. */
export const renderRunTable = (shown: readonly runs.ShownRun[]): Html => html`<table class="data stacks">
<caption class="unseen">Runs</caption>
<thead><tr><th scope="col">Person</th><th scope="col">Workflow</th><th scope="col">State</th><th scope="col">Started</th></tr></thead>
<tbody>${shown.map(
  (
    run,
  ) => html`<tr><th scope="row" class="break"><a href="/app/notify/runs/${run.id}">${run.subject ?? run.user_id}</a></th>
<td class="break" data-label="Workflow"><code>${run.workflow}</code> <span class="quiet">version ${run.version}</span></td>
<td class="break" data-label="State">${renderRunState(run)}</td><td data-label="Started">${ago(run.created_at)}</td></tr>`,
)}</tbody></table>`

export function renderRunState({ state, reason, due_at }: Pick<runs.Run, 'state' | 'reason' | 'due_at'>): Html {
  const grave = state === 'failed' ? 'bad' : state === 'completed' ? 'good' : ''
  const more =
    state === 'waiting'
      ? html` <span class="quiet">continues ${ago(due_at)}</span>`
      : reason && html` <span class="quiet">${reason}</span>`
  return html`<span class="${grave}">${state}</span>${more}`
}
