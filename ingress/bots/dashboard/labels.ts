import { z } from 'zod'
import * as rows from '#sql/bots/labels.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove, update } from '../labels.ts'
import { inboxPath } from './inbox.ts'
import { labelMarks } from './label-marks.ts'
import { section } from './section.ts'

const labelsPath = `${inboxPath}/labels`

const fields = z.object({ name: z.string().default(''), color: z.string().default('grey') })

const ofLabel = z.object({ label_id: pathId('label') })

const inputs = (filled: FormState, now?: rows.Label) => html`
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'For example, Refund. Up to 50 characters.' })}
${selectField(filled, { name: 'color', label: 'Colour', otherwise: now?.color ?? 'grey', options: rows.Color.options.map((color) => [color, color] as const) })}`

export const { show: listLabels, submit: addLabel } = formPage({
  path: '/bots/inbox/labels',
  summary: 'List and create labels of conversations',
  section,
  permission: 'areas:write',
  fields,
  async view({ db, member, services, filled, fault }) {
    const shown = await rows.list(db, member.orgId, { before: undefined, limit: rows.maxLabels })
    const table = dataTable('Labels', shown, {
      Label: (one) => html`<a href="${labelsPath}/${one.id}">${labelMarks([one])}</a>`,
      Created: (one) => ago(one.created_at),
      Change: [
        'actions',
        (one) => actionButton(member, `${labelsPath}/${one.id}/delete`, 'Delete', { of: one.name, grave: true }),
      ],
    })
    const main = html`${parentLink('Inbox', inboxPath)}<h1>Labels</h1>
<p class="lead">Labels group conversations in the inbox. Automation rules can use them.</p>
${shown.length === 0 ? emptyState('No labels yet. The labels of your organisation appear here.') : table}
<section><h2>Create a label</h2>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${inputs(filled)}<button class="primary">Create label</button></form></section>
${apiCall(services, 'bots.labels.create', { body: { name: 'Refund', color: 'orange' } })}`
    return { title: 'Labels', main }
  },
  async submit({ ask, given }) {
    await ask(create, { body: given }, z.object({}))
    return { to: labelsPath, told: 'Label created.' }
  },
})

export const { show: showLabel, submit: changeLabel } = formPage({
  path: '/bots/inbox/labels/{label_id}',
  summary: 'Edit a label of conversations',
  section,
  permission: 'areas:write',
  params: ofLabel,
  fields,
  async view({ db, member, params: { label_id }, filled, fault }) {
    const now = await mustFind(rows.find(db, member.orgId, label_id), 'label')
    const main = html`${parentLink('Labels', labelsPath)}<h1>Edit label</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${inputs(filled, now)}
<p class="actions"><button class="primary">Save label</button> <a class="button plain" href="${labelsPath}">Cancel</a></p></form>`
    return { title: `Edit ${now.name}`, main }
  },
  async submit({ ask, params: { label_id: labelId }, given }) {
    await ask(update, { params: { labelId }, body: given }, z.object({}))
    return { to: labelsPath, told: 'Label saved.' }
  },
})

export const deleteLabel = action({
  path: '/bots/inbox/labels/{label_id}/delete',
  summary: 'Delete a label of conversations',
  permission: 'areas:write',
  params: ofLabel,
  back: () => labelsPath,
  async perform({ ask, params: { label_id: labelId } }) {
    await ask(remove, { params: { labelId } }, z.object({}))
    return { to: labelsPath, told: 'Label deleted.' }
  },
})
