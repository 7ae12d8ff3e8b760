import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as workflows from '#sql/notify/workflows.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { type FormState, optionalField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { WorkflowKey } from '../fields.ts'
import { put } from '../workflows.ts'
import { changeDraft, findWorkflow, seenField } from './draft.ts'
import { section, workflowPath } from './section.ts'

/** First steps of a new workflow, because a workflow has at least one step. */
const starts = {
  inbox: { words: 'In-app inbox', steps: [{ type: 'channel', channel: 'in_app' }] },
  unread: {
    words: 'In-app inbox, then email if the item is unread after 10 minutes',
    steps: [
      { type: 'channel', channel: 'in_app' },
      { type: 'wait', minutes: 10, until: 'unread' },
      { type: 'channel', channel: 'email' },
    ],
  },
  digest: {
    words: 'Collect events for an hour, then one email',
    steps: [
      { type: 'digest', minutes: 60 },
      { type: 'channel', channel: 'email' },
    ],
  },
} as const

const Facts = z.object({
  name: z.string(),
  product_key: z.string(),
  type: z.string(),
  fallback_locale: z.string(),
  fallback_time_zone: z.string().default('UTC'),
})

const factInputs = (filled: FormState, stored?: workflows.Workflow): Html => html`
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, Order shipped.', ...(stored && { otherwise: stored.name }) })}
<div class="pair">${textField(filled, { name: 'product_key', label: 'Product', required: true, hint: 'Product that sends the event. For example, shop.', ...(stored && { otherwise: stored.product_key }) })}
${textField(filled, { name: 'type', label: 'Event type', required: true, hint: 'For example, order.shipped.', ...(stored && { otherwise: stored.type }) })}</div>
<div class="pair">${textField(filled, { name: 'fallback_locale', label: 'Fallback language', required: true, otherwise: stored?.fallback_locale ?? 'en', hint: 'For people without a text in their language. For example, en.' })}
${textField(filled, { name: 'fallback_time_zone', label: 'Fallback time zone', otherwise: stored?.fallback_time_zone ?? 'UTC', hint: 'For people without a time zone. For example, Europe/Vienna.' })}</div>`

export const { show: askForWorkflow, submit: create } = formPage({
  path: '/notify/create',
  summary: 'Create a workflow',
  section,
  permission: 'areas:write',
  fields: Facts.extend({
    key: optionalField(z.string()),
    start: z.enum(['inbox', 'unread', 'digest']).default('inbox'),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Notifications', section.path)}<h1>Create a workflow</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${factInputs(filled)}
${textField(filled, { name: 'key', label: 'Key', hint: 'Optional. Key of the workflow in the API. Default: the name, such as order-shipped.' })}
${selectField(filled, { name: 'start', label: 'First steps', options: Object.entries(starts).map(([value, { words }]) => [value, words] as const), hint: 'You can change the steps on the next page.' })}
<button>Create workflow</button></form>`
    return { title: 'Create a workflow', main }
  },
  async submit({ db, member, ask, given: { key: givenKey, start, ...facts } }) {
    const key = givenKey?.trim() ?? keyFrom(facts.name)
    if (key === '')
      throw badRequest([{ field: 'form.key', issue: 'is required, because the name has no letters a–z or digits' }])
    if (await workflows.find(db, member.orgId, key))
      throw badRequest([{ field: 'form.key', issue: `cannot be \`${key}\`, because another workflow has this key` }])
    await ask(put, { params: { key }, body: { ...facts, steps: starts[start].steps } }, z.object({})).catch(atKey)
    return { to: workflowPath(key), told: 'Workflow created. Publish it when its steps are complete.' }
  },
})

const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '')

/** The key is a part of the path. Its fault is shown at its field. */
function atKey(error: unknown): never {
  if (error instanceof Error && error.message.startsWith('path.key'))
    throw badRequest([{ field: 'form.key', issue: error.message.replace(/^path\.key: /, '') }])
  throw error
}

export const { show: askForFacts, submit: changeFacts } = formPage({
  path: '/notify/workflows/{key}/edit',
  summary: 'Edit the name and the event of a workflow',
  section,
  permission: 'areas:write',
  params: z.object({ key: WorkflowKey }),
  fields: Facts.extend({ seen: optionalField(z.string()) }),
  async view(call) {
    const { member, filled, fault, params } = call
    const stored = await findWorkflow(call, params.key)
    const main = html`${parentLink(stored.name, workflowPath(stored.key))}<h1>Edit workflow</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${seenField(stored)}
${factInputs(filled, stored)}
<p class="actions"><button>Save</button> <a class="button plain" href="${workflowPath(stored.key)}">Cancel</a></p></form>`
    return { title: 'Edit workflow', main }
  },
  async submit(call) {
    const { seen, ...facts } = call.given
    await changeDraft(call, call.params.key, seen, () => ({ facts }))
    return { to: workflowPath(call.params.key), told: 'Workflow saved.' }
  },
})
