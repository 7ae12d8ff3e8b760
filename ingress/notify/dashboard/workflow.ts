import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as secrets from '#sql/notify/fetch-secrets.ts'
import { countSteps, flattenSteps } from '#sql/notify/flat-steps.ts'
import * as texts from '#sql/notify/texts.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import type * as workflows from '#sql/notify/workflows.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { counted } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import type { Route } from '../../http/route.ts'
import { WorkflowKey } from '../fields.ts'
import * as operations from '../workflows.ts'
import { findWorkflow } from './draft.ts'
import { section, workflowPath } from './section.ts'
import { draftFlow, readOnlyFlow, type TextLocales } from './step-cards.ts'
import { renderVersionTable } from './versions.ts'

const params = z.object({ key: WorkflowKey })

export const renderWorkflowState = ({ published_version }: workflows.WorkflowSummary): Html =>
  published_version === null
    ? statusBadge('draft', { shown: 'not published' })
    : statusBadge('published', { shown: `published, version ${published_version}` })

export const one = page({
  path: '/notify/workflows/{key}',
  summary: 'Show a workflow',
  section,
  permission: 'log:read',
  params,
  async view(call) {
    const { db, member, may, region, services } = call
    const { key } = call.params
    const workflow = await findWorkflow(call, key)
    const all = await versions.listOf(db, workflow.id)
    const published = all.find(({ is_current }) => is_current)
    const isChanged = !published || !isSame(workflow, published)
    const mayChange = may('areas:write')
    const main = html`${parentLink('Notifications', section.path)}<div class="title"><h1>${workflow.name}</h1>${mayChange && buttons(member, workflow, isChanged)}</div>
<dl class="facts"><div><dt>Key</dt><dd><code>${key}</code></dd></div><div><dt>Event</dt><dd class="break">${workflow.product_key} <code>${workflow.type}</code></dd></div>
<div><dt>State</dt><dd>${renderWorkflowState(workflow)}</dd></div><div><dt>Fallback language</dt><dd>${workflow.fallback_locale}</dd></div>
<div><dt>Fallback time zone</dt><dd>${workflow.fallback_time_zone}</dd></div></dl>
${mayChange && (await lacksSecret(db, workflow)) && html`<p class="notice spaced">Steps of the type “Fetch” need a signing secret. <a href="/app/notify/fetch-secret">Create the secret</a> before you publish the workflow.</p>`}
${published && isChanged && html`<p class="notice spaced">The draft is different from version ${published.version}. New events start version ${published.version} until you publish the draft.</p>`}
<div class="beside flow-page"><section><div class="title"><h2>Draft</h2><p class="quiet">${counted(countSteps(workflow.steps), 'step')}</p></div>
${mayChange ? draftFlow(member, workflow, await readTextLocales(db, workflow)) : readOnlyFlow(workflow, workflow.steps)}</section>
<div><section><h2>Versions</h2>
${all.length === 0 ? emptyState('No versions yet. Publishing the draft creates a version.') : renderVersionTable(key, all)}</section>
<section><h2>Latest runs</h2>
${await region(`notify-runs/${key}`)}</section>
<section><h2>From your server</h2>${apiCall(services, 'notify.events.create', { body: eventOf(workflow) }, { title: 'Send the event' })}
${apiCall(services, 'notify.workflows.put', { path: { key }, body: draftOf(workflow) }, { title: 'Save the draft' })}</section></div></div>`
    return { title: workflow.name, main }
  },
})

async function readTextLocales(db: Db, { org_id, type, steps }: workflows.Workflow): Promise<TextLocales> {
  const types = [
    ...new Set(flattenSteps(steps).flatMap(({ step }) => (step.type === 'channel' ? (step.text ?? type) : []))),
  ]
  const found = await texts.listOfTypes(db, org_id, types)
  return new Map(types.map((one) => [one, found.filter((text) => text.type === one).map(({ locale }) => locale)]))
}

/** True if a step calls the customer’s server and no secret exists for it. */
const lacksSecret = async (db: Db, { org_id, steps }: workflows.Workflow): Promise<boolean> =>
  flattenSteps(steps).some(({ step }) => step.type === 'fetch') && !(await secrets.find(db, org_id))

const eventOf = ({ product_key, type, name }: workflows.Workflow) => ({
  ...{ product_key, type, subject_user_id: 'customer-17', title: name },
})

const draftOf = ({ name, product_key, type, fallback_locale, fallback_time_zone, steps }: workflows.Workflow) => ({
  ...{ name, product_key, type, fallback_locale, fallback_time_zone, steps },
})

/** True if publishing the draft would change nothing. */
function isSame(workflow: workflows.Workflow, version: versions.Version): boolean {
  const factsOf = ({
    product_key,
    type,
    fallback_locale,
    fallback_time_zone,
    steps,
  }: workflows.Workflow | versions.Version) =>
    JSON.stringify([product_key, type, fallback_locale, fallback_time_zone, steps])
  return factsOf(workflow) === factsOf(version)
}

function buttons(member: Member, { key, published_version, version }: workflows.Workflow, isChanged: boolean): Html {
  const path = workflowPath(key)
  return html`<div class="actions"><a class="button${!isChanged && ' primary'}" href="${path}/test">Test run</a>${isChanged && html`<form class="inline" method="post" action="${path}/publish">${tokenField(member)}<button class="primary">Publish version ${version + 1}</button></form>`}${published_version !== null && actionButton(member, `${path}/unpublish`, 'Unpublish', { grave: true })}<a class="button" data-confirm href="${path}/delete">Delete<span class="unseen"> workflow</span></a></div>`
}

const change = (word: string, operation: Route, summary: string, told: string) =>
  action({
    path: `/notify/workflows/{key}/${word}`,
    summary,
    permission: 'areas:write',
    params,
    back: ({ key }) => workflowPath(key),
    async perform({ ask, params: { key } }) {
      await ask(operation, { params: { key } }, z.object({}))
      return { to: workflowPath(key), told }
    },
  })

export const publish = change('publish', operations.publish, 'Publish a workflow', 'Workflow published.')

export const unpublish = change('unpublish', operations.unpublish, 'Unpublish a workflow', 'Workflow unpublished.')

export const { show: askToDelete, submit: remove } = formPage({
  path: '/notify/workflows/{key}/delete',
  summary: 'Delete a workflow',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view(call) {
    const { name, key } = await findWorkflow(call, call.params.key)
    const back = workflowPath(key)
    const main = html`${parentLink(name, back)}${renderFault(call.fault)}
<form class="question" id="question" method="post" action="${back}/delete">${tokenField(call.member)}
<h1 id="confirm-title">Delete ${name}?</h1>
<p>Waiting runs stop immediately. The versions and the draft are deleted. Events of this type use preferences again.</p>
<p class="actions"><button class="grave">Delete workflow</button> <a class="button plain" data-back href="${back}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params: { key } }) {
    const { stopped } = await ask(operations.remove, { params: { key } }, z.object({ stopped: z.int() }))
    return { to: section.path, told: `Workflow deleted. ${counted(stopped, 'waiting run')} stopped.` }
  },
})
