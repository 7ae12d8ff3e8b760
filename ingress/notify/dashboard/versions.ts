import { z } from 'zod'
import { countSteps } from '#sql/notify/flat-steps.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { WorkflowKey } from '../fields.ts'
import { changeDraft, findWorkflow, inSentences } from './draft.ts'
import { section, workflowPath } from './section.ts'
import { readOnlyFlow } from './step-cards.ts'

const renderVersionState = ({ is_current }: versions.Version): Html =>
  is_current ? statusBadge('published') : quiet('earlier version')

export const renderVersionTable = (key: string, all: readonly versions.Version[]): Html =>
  dataTable('Versions', all, {
    Version: (one) => html`<a href="${workflowPath(key)}/versions/${one.version}">Version ${one.version}</a>`,
    State: (one) => renderVersionState(one),
    Steps: ['number', (one) => count(countSteps(one.steps))],
    Created: (one) => ago(one.created_at),
  })

const params = z.object({ key: WorkflowKey, version: z.string().regex(/^\d{1,9}$/) })

export const one = page({
  path: '/notify/workflows/{key}/versions/{version}',
  summary: 'Show a version of a workflow',
  section,
  permission: 'log:read',
  params,
  async view(call) {
    const { db, member, may } = call
    const { key, version } = call.params
    const workflow = await findWorkflow(call, key)
    const found = await mustFind(findVersion(db, workflow.id, Number(version)), 'version')
    const restore =
      may('areas:write') &&
      actionButton(member, `${workflowPath(key)}/versions/${version}/restore`, 'Copy to the draft')
    const main = html`${parentLink(workflow.name, workflowPath(key))}<div class="title"><h1>Version ${version}</h1>${restore}</div>
<dl class="facts"><div><dt>Created</dt><dd>${ago(found.created_at)}</dd></div><div><dt>State</dt><dd>${renderVersionState(found)}</dd></div>
<div><dt>Fallback language</dt><dd>${found.fallback_locale}</dd></div>
<div><dt>Fallback time zone</dt><dd>${found.fallback_time_zone}</dd></div></dl>
<section><h2>Steps</h2>${readOnlyFlow(found, found.steps)}</section>`
    return { title: `Version ${version} of ${workflow.name}`, main }
  },
})

async function findVersion(db: Parameters<typeof versions.findMany>[0], workflow_id: string, version: number) {
  const [found] = await versions.findMany(db, [{ workflow_id, version }])
  return found
}

export const restore = action({
  path: '/notify/workflows/{key}/versions/{version}/restore',
  summary: 'Copy a version of a workflow to its draft',
  permission: 'areas:write',
  params,
  back: ({ key }) => workflowPath(key),
  async perform(call) {
    const { key, version } = call.params
    const { id } = await findWorkflow(call, key)
    const { product_key, type, fallback_locale, fallback_time_zone, steps } = await mustFind(
      findVersion(call.db, id, Number(version)),
      'version',
    )
    const facts = { product_key, type, fallback_locale, fallback_time_zone }
    await changeDraft(call, key, undefined, () => ({ facts, steps })).catch(inSentences)
    return { to: workflowPath(key), told: `Version ${version} copied to the draft.` }
  },
})
