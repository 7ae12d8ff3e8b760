import { z } from 'zod'
import { type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as apps from '#sql/push/apps.ts'
import * as rows from '#sql/push/templates.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { linesField, selectField, textField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create as sendMessage } from '../messages.ts'
import { remove, update } from '../templates.ts'
import { section } from './apps.ts'
import { previewMessage } from './preview.ts'
import { atFields, mostLanguages, readPairs, templateFields, toLocales, valuesOf } from './template-form.ts'
import { templateEditor, templatesPath } from './templates.ts'

const params = z.object({ template_id: pathId('template') })

const pathOf = (id: string): string => `${templatesPath}/${id}`

export const { show: askForChange, submit: save } = formPage({
  path: '/push/templates/{template_id}',
  summary: 'Show and update a push template',
  section,
  permission: 'templates:read',
  params,
  fields: templateFields,
  async view({ db, member, may, services, params, filled, fault }) {
    const found = await mustFind(rows.find(db, member.orgId, params.template_id), 'template')
    const write = may('areas:write')
    const state = { ...filled, given: Object.keys(filled.given).length > 0 ? filled.given : valuesOf(found) }
    const send = write && html`<a class="button primary" href="${pathOf(found.id)}/test">Send a test</a>`
    const main = html`${parentLink('Templates', templatesPath)}<div class="title"><h1>${found.name}</h1>${send}</div>${renderFault(fault)}
${facts(found)}
${Object.keys(found.locales).length > mostLanguages && html`<p class="notice">The form shows ${mostLanguages} languages. The others stay as they are. Edit them with the API.</p>`}
${write ? templateEditor(member, state, 'Save template') : readOnly(found)}
${write && apiCall(services, 'push.messages.create', { body: callFor(found) }, { title: 'Send with this template' })}
${write && html`<section><h2>Delete</h2><p class="lead">Accepted messages that use the template are still sent.</p><div>${actionButton(member, `${pathOf(found.id)}/remove`, 'Delete template', { of: found.name, grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
  async submit({ db, member, ask, params, given }) {
    const before = await mustFind(rows.find(db, member.orgId, params.template_id), 'template')
    const kept = Object.fromEntries(Object.entries(before.locales).slice(mostLanguages))
    const body = {
      name: given.name,
      default_locale: given.default_locale.trim(),
      locales: { ...toLocales(given), ...kept },
      ...(/^\d{1,9}$/.test(given.version) && { version: Number(given.version) }),
    }
    await atFields(ask(update, { params, body }, z.unknown()), given)
    return { to: pathOf(before.id), told: 'Template saved.' }
  },
})

const facts = ({ id, version, variables, updated_at }: rows.Template): Html => html`<dl class="facts">
<div><dt>Template</dt><dd>${copyable(id, 'the template ID')}</dd></div>
<div><dt>Version</dt><dd>${version} <span class="quiet">messages keep the text of their version</span></dd></div>
<div><dt>Variables</dt><dd>${variables?.join(', ') || quiet('none')}</dd></div>
<div><dt>Updated</dt><dd>${ago(updated_at)}</dd></div></dl>`

const readOnly = ({ locales, default_locale }: rows.Template): Html =>
  html`<section><h2>Preview</h2>${previewMessage({ texts: locales, default_locale })}</section>`

const callFor = ({ id, variables }: rows.Template) => ({
  target: { type: 'user', id: 'user-17' },
  template_id: id,
  ...(variables?.length && { variables: Object.fromEntries(variables.map((name) => [name, '…'])) }),
})

const mostApps = 100

export const { show: askForTest, submit: sendTest } = formPage({
  path: '/push/templates/{template_id}/test',
  summary: 'Send a test message with a template',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ app_id: z.string().default(''), user: z.string().default(''), variables: z.string().default('') }),
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(rows.find(db, member.orgId, params.template_id), 'template')
    const own = await apps.list(db, member.orgId, { only: undefined, before: undefined, limit: mostApps })
    const options = own.map(
      ({ id, name, created_at }) => [id, `${name}, created ${formatInstant(created_at).slice(0, 10)}`] as const,
    )
    const names = found.variables ?? []
    const hint: Content = names.length > 0 && 'One name=value per line.'
    const form = html`<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'app_id', label: 'App', options })}
${textField(filled, { name: 'user', label: 'Your ID of the person', required: true, hint: 'For example, user-17. All devices of the person receive the message.' })}
${names.length > 0 && linesField(filled, { name: 'variables', label: 'Values', few: true, hint, otherwise: names.map((name) => `${name}=`).join('\n') })}
<p class="hint">The message counts toward usage. To test one device, open the devices of the app.</p>
<button>Send test</button></form>`
    const main = html`${parentLink(found.name, pathOf(found.id))}<h1>Send a test of ${found.name}</h1>${renderFault(fault)}
${own.length === 0 ? emptyState('No apps yet.', html`<a class="button primary" href="${section.path}/new">Create an app</a>`) : form}`
    return { title: 'Send a test', main }
  },
  async submit({ ask, params, given: { app_id, user, variables } }) {
    const values = readPairs(variables)
    const target = { type: 'user', id: user.trim() }
    const set = Object.keys(values).length > 0 && { variables: values }
    const body = { app_id, target, template_id: params.template_id, priority: 10, ...set }
    const { id } = await atUser(ask(sendMessage, { body }, z.object({ id: Id })))
    return { to: `${section.path}/messages/${id}`, told: 'Test message accepted.' }
  },
})

/** Moves faults of the target to the field of the person. */
async function atUser<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map((fault) => ({
      ...fault,
      field: fault.field.replace(/^body\.target.*/, 'body.user'),
    }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

export const drop = action({
  path: '/push/templates/{template_id}/remove',
  summary: 'Delete a push template',
  permission: 'areas:write',
  params,
  back: ({ template_id }) => pathOf(template_id),
  async perform({ ask, params }) {
    await ask(remove, { params }, z.unknown())
    return { to: templatesPath, told: 'Template deleted.' }
  },
})
