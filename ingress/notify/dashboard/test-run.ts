import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import { flattenSteps } from '#sql/notify/flat-steps.ts'
import * as people from '#sql/notify/people.ts'
import * as texts from '#sql/notify/texts.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import type * as workflows from '#sql/notify/workflows.ts'
import { type Rehearsal, rehearse } from '#tasks/notify/rules/rehearse.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { type FormState, linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../events.ts'
import { Body, Link, Title, WorkflowKey } from '../fields.ts'
import { findWorkflow } from './draft.ts'
import { exampleData, parseData } from './example-data.ts'
import { section, workflowPath } from './section.ts'
import { renderTrace } from './trace.ts'

const Fields = z.object({
  mode: z.enum(['rehearse', 'send']).default('rehearse'),
  subject_user_id: UserId,
  title: Title,
  body: optionalField(Body),
  url: optionalField(Link),
  data: z.string().optional(),
})

export const { show: askForTest, submit: test } = formPage({
  path: '/notify/workflows/{key}/test',
  summary: 'Test a workflow',
  section,
  permission: 'areas:write',
  params: z.object({ key: WorkflowKey }),
  fields: Fields,
  async view(call) {
    return await testPage(call, await findWorkflow(call, call.params.key), call)
  },
  async submit(call) {
    const { db, ask, given, params } = call
    const { mode, data: json, ...event } = given
    const workflow = await findWorkflow(call, params.key)
    const data = parseData(json)
    if (mode === 'rehearse') {
      const { subject_user_id: userId, title, body = null, url = null } = event
      const rehearsal = await rehearse(db, workflow, { userId, title, body, url, data })
      const filled = { given: { ...event, body: body ?? '', url: url ?? '', mode, data: json ?? '' }, faults: {} }
      return { view: await testPage(call, workflow, { filled, fault: undefined, rehearsal }) }
    }
    const published = (await versions.listOf(db, workflow.id)).find(({ is_current }) => is_current)
    if (!published)
      throw badRequest([{ field: 'form.mode', issue: 'requires a published version. Publish the workflow first.' }])
    const { product_key, type } = published
    const body = { ...event, product_key, type, ...(Object.keys(data).length > 0 && { data }) }
    const { run_id } = await ask(create, { body }, z.object({ run_id: z.string().nullish() }))
    return run_id
      ? { to: `/app/notify/runs/${run_id}`, told: 'Event sent. This page shows the run and updates by itself.' }
      : { to: workflowPath(workflow.key), told: 'Event sent, but it started no run.' }
  },
})

type Call = Pick<PageCall<unknown, unknown>, 'db' | 'member'>

async function testPage(
  { db, member }: Call,
  workflow: workflows.Workflow,
  { filled, fault, rehearsal }: { filled: FormState; fault: string | undefined; rehearsal?: Rehearsal },
) {
  const known = await people.list(db, member.orgId, { where: everything, before: undefined, limit: 50 })
  const isPublished = workflow.published_version !== null
  const modes = [
    ['rehearse', 'Rehearse the draft: sends nothing'],
    ...(isPublished ? ([['send', `Run version ${workflow.published_version}: sends real messages`]] as const) : []),
  ] as const
  const main = html`${parentLink(workflow.name, workflowPath(workflow.key))}<h1>Test run</h1>${renderFault(fault)}
<div class="beside"><form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'mode', label: 'Mode', options: modes, hint: isPublished ? 'A real run uses the published version and appears in the list of runs.' : 'To run the workflow with real messages, publish it first.' })}
${textField(filled, { name: 'subject_user_id', label: 'Person', required: true, list: 'known-people', otherwise: known[0]?.subject ?? '', hint: html`Your own ID of the person. ${known.length === 0 && html`You have no people yet. <a href="/app/notify/people/new">Add a person</a>.`}` })}
<datalist id="known-people">${known.map(({ subject, name, email }) => html`<option value="${subject}">${name ?? email ?? ''}</option>`)}</datalist>
${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: workflow.name, hint: 'Used if the event type has no text.' })}
${linesField(filled, { name: 'body', label: 'Body', few: true, prose: true, hint: 'Optional.' })}
${textField(filled, { name: 'url', label: 'URL', type: 'url', hint: 'Optional. URL to open, such as https://example.com/orders/1042.' })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', rows: 6, otherwise: await dataOf(db, workflow), hint: 'Values for conditions and placeholders, such as data.order.' })}
<button>Start test</button></form>
<div id="result">${rehearsal ? resultOf(workflow, rehearsal) : html`<section><h2>Result</h2><p class="empty">The result of each step appears here.</p></section>`}</div></div>`
  return { title: 'Test run', main }
}

const endings: Partial<Record<Rehearsal['state'], string>> = {
  completed: 'The run would complete.',
  stopped: 'The run would stop early.',
}

function resultOf(workflow: workflows.Workflow, { steps: traced, isKnown, state }: Rehearsal): Html {
  const words = { done: 'would run', skipped: 'would be skipped', waiting: 'would wait' }
  return html`<section><h2>Result</h2>
<p class="note" role="status">Nothing was sent. ${endings[state]} Waits were passed as if the person read nothing.${!isKnown && ' The person is not in the directory, so no address is known.'}</p>
${renderTrace({ trigger: workflow, steps: workflow.steps, traced, open: 'not reached', words })}</section>`
}

/** Returns example data for everything that the steps and their texts use. */
async function dataOf(db: Db, { org_id, type, steps }: workflows.Workflow): Promise<string> {
  const all = flattenSteps(steps).map(({ step }) => step)
  const fields = all.flatMap((step) => [
    ...('key' in step && step.key ? [step.key] : []),
    ...('conditions' in step ? (step.conditions ?? []).map(({ field }) => field) : []),
  ])
  const variables = all.flatMap((step) => {
    if (step.type === 'fetch') return [step.url]
    return step.type === 'channel' ? (step.template?.variables ?? []) : []
  })
  const types = new Set(all.flatMap((step) => (step.type === 'channel' ? (step.text ?? type) : [])))
  const written = await texts.list(db, org_id, { where: everything, before: undefined, limit: 100 })
  const used = written.filter((text) => types.has(text.type)).flatMap(({ title, body }) => [title, body])
  return exampleData([...used, ...variables], fields)
}
