import type * as runs from '#sql/notify/runs.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'

/** The columns contain no text of a run, because the text is personal. */
export const renderRunTable = (shown: readonly runs.ShownRun[]): Html =>
  dataTable('Runs', shown, {
    Person: (run) => html`<a href="/app/notify/runs/${run.id}">${run.subject ?? run.user_id}</a>`,
    Workflow: ['break', (run) => html`<code>${run.workflow}</code> <span class="quiet">version ${run.version}</span>`],
    State: ['break', (run) => renderRunState(run)],
    Started: (run) => ago(run.created_at),
  })

export function renderRunState({ state, reason, due_at }: Pick<runs.Run, 'state' | 'reason' | 'due_at'>): Html {
  const more =
    state === 'waiting'
      ? html` <span class="quiet">continues ${ago(due_at)}</span>`
      : reason && html` <span class="quiet">${reason}</span>`
  return html`${statusBadge(state)}${more}`
}
