import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as drafts from '#sql/email/template-drafts.ts'
import * as templates from '#sql/email/templates.ts'
import { fragment } from '../../http/dashboard/fragment.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove as removeDraft, update as updateDraft } from '../template-drafts.ts'
import { renderExample } from '../templates/example.ts'
import { create, remove, update } from '../templates.ts'
import { toMailView } from './mail-views.ts'
import {
  examplePanel,
  sentencesOf,
  templateBytes,
  templateEditor,
  templateFormFields,
  toAlias,
  toContent,
  toExample,
  toTestData,
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
    const own = { kind: given.kind, alias: toAlias(given), test_data: toTestData(given) }
    const { id } = await ask(create, { body: { ...toContent(given), ...own } }, z.object({ id: Id }))
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
    const published = await mustFind(templates.find(db, member.orgId, params.template_id), 'template')
    const draft = await drafts.find(db, member.orgId, published.id)
    const now = { ...published, ...draft }
    const path = `/app/templates/${published.id}`
    const main = html`${parentLink(published.name, path)}<h1>Edit ${published.name}</h1>${renderFault(fault)}
${draft && html`<p class="notice">The form shows the draft, which is not published yet.</p>`}
${templateEditor(member, filled, { now, shown: `${path}/shown${draft ? '?state=draft' : ''}`, words: draft ? 'Publish' : 'Save template' })}`
    return { title: `Edit ${published.name}`, main, reaches }
  },
  async submit({ db, member, ask, params: { template_id: id }, given }) {
    const to = `/app/templates/${id}`
    const own = { alias: toAlias(given), test_data: toTestData(given) }
    const call = { params: { id } }
    if (given.do === 'draft') {
      await ask(update, { ...call, body: own }, z.unknown())
      await ask(updateDraft, { ...call, body: toContent(given) }, z.unknown())
      return { to, told: 'Draft saved.' }
    }
    await ask(update, { ...call, body: { ...toContent(given), ...own } }, z.unknown())
    if (await drafts.find(db, member.orgId, id)) await ask(removeDraft, call, z.unknown())
    return { to, told: 'Template saved as a new version.' }
  },
})

/** The email of the form, for the frame of the editor. */
export const preview = fragment({
  path: '/templates/preview',
  summary: 'Preview the email template of a form',
  permission: 'areas:write',
  formBytes: templateBytes,
  fields: templateFormFields,
  async answer({ db, member, given }) {
    const made = await renderExample(db, ...toExample(given, member.orgId))
    const missing = made.html === null && made.faults.length > 0 && html`<p>${sentencesOf(made).join(' ')}</p>`.text
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
  async answer({ db, member, given }) {
    const [shown, examples, testData] = toExample(given, member.orgId)
    return examplePanel(shown, await renderExample(db, shown, examples, testData), examples, testData)
  },
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
