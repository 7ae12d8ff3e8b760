import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as templates from '#sql/email/templates.ts'
import { fragment } from '../../http/dashboard/fragment.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { renderExample } from '../templates/example.ts'
import { create, remove, update } from '../templates.ts'
import { toMailView } from './mail-views.ts'
import {
  examplePanel,
  faultsOf,
  templateBytes,
  templateEditor,
  templateFormFields,
  toExamples,
  toParts,
} from './template-form.ts'
import { section } from './templates.ts'

const params = z.object({ template_id: pathId('template') })

const reaches = { frames: ["'self'"] }

export const { show: askForTemplate, submit: add } = formPage({
  path: '/templates/new',
  summary: 'Create an email template',
  section,
  permission: 'areas:write',
  formBytes: templateBytes,
  fields: templateFormFields,
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Templates', section.path)}<h1>Create an email template</h1>${renderFault(fault)}
${templateEditor(member, filled, { words: 'Create template' })}`
    return { title: 'New email template', main, reaches }
  },
  async submit({ ask, given }) {
    const { id } = await ask(create, { body: toParts(given) }, z.object({ id: Id }))
    return { to: `/app/templates/${id}`, told: 'Template created.' }
  },
})

export const { show: askForChanges, submit: change } = formPage({
  path: '/templates/{template_id}/edit',
  summary: 'Update an email template',
  section,
  permission: 'areas:write',
  formBytes: templateBytes,
  params,
  fields: templateFormFields,
  async view({ db, member, params, filled, fault }) {
    const now = await mustFind(templates.find(db, member.orgId, params.template_id), 'template')
    const path = `/app/templates/${now.id}`
    const main = html`${parentLink(now.name, path)}<h1>Edit ${now.name}</h1>${renderFault(fault)}
${templateEditor(member, filled, { now, shown: `${path}/shown`, words: 'Save template' })}`
    return { title: `Edit ${now.name}`, main, reaches }
  },
  async submit({ ask, params: { template_id: id }, given }) {
    await ask(update, { params: { id }, body: toParts(given) }, z.unknown())
    return { to: `/app/templates/${id}`, told: 'Template saved as a new version.' }
  },
})

/** The email of the form, for the frame of the editor. */
export const preview = fragment({
  path: '/templates/preview',
  summary: 'Preview the email template of a form',
  permission: 'areas:write',
  formBytes: templateBytes,
  fields: templateFormFields,
  async answer({ given }) {
    const parts = toParts(given)
    const made = renderExample(parts, toExamples(given))
    const missing = made.faults.length > 0 && html`<p>${faultsOf(parts, toExamples(given)).join(' ')}</p>`.text
    return { html: missing || made.html, text: made.text, view: toMailView(given.view) }
  },
})

/** What the editor shows above its frame: subject, problems and example values. */
export const check = fragment({
  path: '/templates/check',
  summary: 'Check the email template of a form',
  permission: 'areas:write',
  formBytes: templateBytes,
  fields: templateFormFields,
  answer: async ({ given }) => examplePanel(toParts(given), toExamples(given)),
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/templates/{template_id}/remove',
  summary: 'Delete an email template',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, name } = await mustFind(templates.find(db, member.orgId, params.template_id), 'template')
    const main = html`${parentLink(name, `/app/templates/${id}`)}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Its versions are also deleted. Calls with this template ID return an error. Accepted messages are still sent.</p>
<p class="actions"><button class="grave">Delete template</button> <a class="button plain" href="/app/templates/${id}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params: { template_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Template deleted.' }
  },
})
