import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything, whereOf } from '#sql/filters.ts'
import * as runs from '#sql/notify/runs.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import * as workflows from '#sql/notify/workflows.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, duration } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { WorkflowKey } from '../fields.ts'
import * as operations from '../workflows.ts'
import { renderRunTable } from './run-table.ts'

export const section = {
  title: 'Notifications',
  path: '/app/notify',
  group: 'Notifications',
  guide: 'notify',
  permission: 'log:read',
} as const satisfies DashboardSection

const [perPage, latest] = [50, 20]

export const overview = page({
  path: '/notify',
  summary: 'List workflows and their latest runs',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, query: { before } }) {
    const found = await workflows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const all = { where: everything, userId: undefined, before: undefined, limit: latest }
    const newest = await runs.list(db, member.orgId, all)
    const main = html`<div class="title"><h1>Notifications</h1><a class="button" href="/app/notify/people">People</a></div>
<section><h2>Workflows</h2>
${shown.length === 0 ? emptyState('No workflows yet. A workflow notifies people in several steps.', 'Create workflows with the API: PUT /v1/notify/workflows/{key}.') : workflowTable(shown)}
${older(section.path)}</section>
<section><h2>Recent runs</h2>
${newest.length === 0 ? emptyState('No runs yet. A run starts when an event arrives for a published workflow.') : renderRunTable(newest)}
<p class="more"><a href="/app/notify/runs">All runs</a></p></section>`
    return { title: 'Notifications', main }
  },
})

const workflowTable = (shown: readonly workflows.WorkflowSummary[]): Html =>
  dataTable('Workflows', shown, {
    Workflow: (one) => html`<a href="/app/notify/workflows/${one.key}">${one.name}</a>`,
    Trigger: ['break', (one) => html`${one.product_key} <code>${one.type}</code>`],
    State: (one) => stateOf(one),
    Updated: (one) => ago(one.updated_at),
  })

const stateOf = ({ published_version }: workflows.WorkflowSummary): Html =>
  published_version === null ? quiet('not published') : html`<span class="good">version ${published_version}</span>`

export const one = page({
  path: '/notify/workflows/{key}',
  summary: 'Show a workflow',
  section,
  permission: 'log:read',
  params: z.object({ key: WorkflowKey }),
  async view({ db, member, may, params: { key } }) {
    const workflow = await mustFind(workflows.find(db, member.orgId, key), 'workflow')
    const where = whereOf(runs.filters, { workflow: key })
    const newest = await runs.list(db, member.orgId, { where, userId: undefined, before: undefined, limit: latest })
    const main = html`${parentLink('Notifications', section.path)}<div class="title"><h1>${workflow.name}</h1>${may('areas:write') && buttons(member, workflow)}</div>
<dl class="facts"><div><dt>Key</dt><dd><code>${key}</code></dd></div><div><dt>Trigger</dt><dd class="break">${workflow.product_key} <code>${workflow.type}</code></dd></div>
<div><dt>State</dt><dd>${stateOf(workflow)}</dd></div><div><dt>Fallback language</dt><dd>${workflow.fallback_locale}</dd></div></dl>
<section><h2>Draft steps</h2>
<ol>${workflow.steps.map((step) => html`<li>${wordsOf(step)}</li>`)}</ol></section>
<section><h2>Latest runs</h2>
${newest.length === 0 ? emptyState('No runs yet. A run starts when an event arrives.') : renderRunTable(newest)}</section>`
    return { title: workflow.name, main }
  },
})

function buttons(member: Member, { key, published_version }: workflows.Workflow): Html {
  const path = `/app/notify/workflows/${key}`
  return html`<div class="actions">${actionButton(member, `${path}/publish`, 'Publish')}${published_version !== null && actionButton(member, `${path}/unpublish`, 'Unpublish', { grave: true })}</div>`
}

function wordsOf(step: Step): Html {
  const when =
    step.type !== 'digest' && step.conditions?.length
      ? html` <span class="quiet">if ${step.conditions.map(({ field, operator, value = '' }) => `${field} ${operator.replaceAll('_', ' ')} ${value}`.trim()).join(' and ')}</span>`
      : false
  if (step.type === 'channel')
    return html`Send by <strong>${step.channel}</strong>${step.text && html`, text <code>${step.text}</code>`}${when}`
  const time = duration(step.minutes * 60)
  if (step.type === 'digest') return html`Collect events for ${time}${step.key && html`, by <code>${step.key}</code>`}`
  return html`Wait ${time}${step.until && html`, and continue if the item is still <strong>${step.until}</strong>`}${when}`
}

const change = { permission: 'areas:write', params: z.object({ key: WorkflowKey }) } as const
const back = ({ key }: { key: string }) => `/app/notify/workflows/${key}`

export const publish = action({
  ...change,
  path: '/notify/workflows/{key}/publish',
  summary: 'Publish a workflow',
  back,
  async perform({ ask, params }) {
    const { version } = await ask(operations.publish, { params }, z.object({ version: z.int() }))
    return { to: back(params), told: `Version ${version} published. New events start this version.` }
  },
})

export const unpublish = action({
  ...change,
  path: '/notify/workflows/{key}/unpublish',
  summary: 'Unpublish a workflow',
  back,
  async perform({ ask, params }) {
    await ask(operations.unpublish, { params }, z.object({}))
    return { to: back(params), told: 'Workflow unpublished. Events use preferences again. Runs in progress continue.' }
  },
})
