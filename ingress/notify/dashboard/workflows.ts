import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as workflows from '#sql/notify/workflows.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { renderTabs, section, workflowPath } from './section.ts'
import { renderWorkflowState } from './workflow.ts'

export const overview = page({
  path: '/notify',
  summary: 'List workflows and their latest runs',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, region, query: { before } }) {
    const found = await workflows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const create = may('areas:write') && linkButton('/app/notify/create', 'Create a workflow', { primary: true })
    const main = html`${renderTabs('Workflows', create)}
<section><h2>Workflows</h2>
${shown.length === 0 ? emptyState('No workflows yet. A workflow notifies people in several steps, such as the inbox, then an email.', undefined, create) : workflowTable(shown)}
${older(section.path)}</section>
<section><h2>Recent runs</h2>
${await region('notify-runs')}
<p class="more"><a href="/app/notify/runs">All runs</a></p></section>`
    return { title: 'Notifications', main }
  },
})

const workflowTable = (shown: readonly workflows.WorkflowSummary[]): Html =>
  dataTable('Workflows', shown, {
    Workflow: (one) => html`<a href="${workflowPath(one.key)}">${one.name}</a>`,
    Event: ['break', (one) => html`${one.product_key} <code>${one.type}</code>`],
    State: (one) => renderWorkflowState(one),
    Updated: (one) => ago(one.updated_at),
  })
