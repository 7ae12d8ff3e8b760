import { everything, whereOf } from '#sql/filters.ts'
import * as runs from '#sql/notify/runs.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState } from '../../http/html/parts.ts'
import { WorkflowKey } from '../fields.ts'

const latest = 20

/** Shows the latest runs of the organisation, or of the workflow whose key follows the name of the region. */
export const runsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [key]) {
    if (key !== undefined && !WorkflowKey.safeParse(key).success) return null
    const where = key === undefined ? everything : whereOf(runs.filters, { workflow: key })
    const found = await runs.list(db, orgId, { where, userId: undefined, before: undefined, limit: latest })
    return found.length === 0
      ? emptyState('No runs yet. A run starts when an event arrives for a published workflow.')
      : renderRunTable(found, { withWorkflow: key === undefined })
  },
}

/** The columns contain no text of a run, because the text is personal. On the page of a workflow, its name is not shown. */
export const renderRunTable = (shown: readonly runs.ShownRun[], { withWorkflow = true } = {}): Html =>
  dataTable({ caption: 'Runs', key: ({ id }) => id }, shown, {
    Person: (run) => html`<a href="/app/notify/runs/${run.id}">${run.subject ?? run.user_id}</a>`,
    Workflow: withWorkflow && [
      '',
      (run) => html`<code>${run.workflow}</code> <span class="quiet">version ${run.version}</span>`,
    ],
    Version: !withWorkflow && ['number', (run) => String(run.version)],
    State: (run) => renderRunState(run),
    Started: (run) => ago(run.created_at),
  })

export function renderRunState({ state, reason, due_at }: Pick<runs.Run, 'state' | 'reason' | 'due_at'>): Html {
  const more = state === 'waiting' ? html`continues ${ago(due_at)}` : reason
  return html`${statusBadge(state)}${more && html` <span class="quiet">${more}</span>`}`
}
