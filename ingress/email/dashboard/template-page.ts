import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as versions from '#sql/email/template-versions.ts'
import * as templates from '#sql/email/templates.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { sendMailFrame } from '../../http/dashboard/mail-frame.ts'
import { action, formPage, page, shared } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { create as send } from '../messages.ts'
import { restore, VersionNumber } from '../template-versions.ts'
import { defaultExample, exampleVariables, listExampleNames, renderExample } from '../templates/example.ts'
import { mailFrame, toMailView, viewLinks } from './mail-views.ts'
import { exampleField, exampleFields, toExamples } from './template-form.ts'
import { section, variablesOf } from './templates.ts'

const params = z.object({ template_id: pathId('template') })
const view = z.string().max(20).default('desktop')
const reaches = { frames: ["'self'"] }

const ownTemplate = async (db: Db, orgId: string, id: string): Promise<templates.Template> =>
  await mustFind(templates.find(db, orgId, id), 'template')

export const read = page({
  path: '/templates/{template_id}',
  summary: 'Show an email template',
  section,
  permission: 'templates:read',
  params,
  query: z.object({ view }),
  async view({ db, member, may, services, params: { template_id: id }, query }) {
    const found = await ownTemplate(db, member.orgId, id)
    const path = `/app/templates/${id}`
    const main = html`${parentLink('Templates', section.path)}<div class="title"><h1>${found.name}</h1>${
      may('areas:write') &&
      html`<p class="actions"><a class="button primary" href="${path}/edit">Edit</a> <a class="button" href="${path}/test">Send a test</a> <a class="button" href="${path}/versions">Versions</a> <a class="button" href="${path}/remove">Delete</a></p>`
    }</div>
<dl class="facts"><div><dt>Template ID</dt><dd>${copyable(found.id, 'the template ID')}</dd></div>
<div><dt>Subject</dt><dd>${found.subject}</dd></div><div><dt>Variables</dt><dd>${variablesOf(found.variables ?? [])}</dd></div>
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div></dl>
${contentOf(found, path, query.view)}
${apiCall(services, 'email.messages.create', { body: await exampleMessage(db, found) }, { title: 'API: Send an email with this template' })}`
    return { title: found.name, main, reaches }
  },
})

/** Returns the body of a call that sends the template from the oldest verified domain, with example values. */
async function exampleMessage(db: Db, template: templates.Template): Promise<Record<string, unknown>> {
  const from = (await domains.oldestVerified(db, template.org_id, undefined))?.domain ?? 'example.com'
  const variables = exampleVariables(template, new Map())
  return {
    stream: 'transactional',
    from: { email: `hello@${from}` },
    to: 'ann@example.org',
    template_id: template.id,
    ...(Object.keys(variables).length > 0 && { variables }),
  }
}

const contentOf = (parts: Omit<templates.TemplateParts, 'name'>, path: string, chosen: string): Html =>
  html`<section id="content"><div class="title"><h2>Preview</h2>${viewLinks(path, chosen, [['source', 'Source']])}</div>
${
  chosen === 'source'
    ? html`<h3>HTML</h3><pre tabindex="0">${parts.html}</pre><h3>Text</h3>${parts.text === null ? html`<p class="quiet">The text is created from the HTML.</p>` : html`<pre tabindex="0">${parts.text}</pre>`}`
    : html`<div class="mail-stage">${mailFrame(`${path}/shown?view=${toMailView(chosen)}`, chosen)}</div>`
}</section>`

export const shown = route({
  ...shared,
  method: 'GET',
  path: '/templates/{template_id}/shown',
  summary: 'Show the email of a template with example values',
  params,
  query: z.object({ view }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'templates:read' })
    if (!allowed) return
    const found = await ownTemplate(call.db, allowed.member.orgId, call.params.template_id)
    sendMailFrame(call.ctx, renderExample(found, new Map()), toMailView(call.query.view))
  },
})

export const history = page({
  path: '/templates/{template_id}/versions',
  summary: 'List the versions of an email template',
  section,
  permission: 'templates:read',
  params,
  async view({ db, member, may, params: { template_id: id } }) {
    const { name } = await ownTemplate(db, member.orgId, id)
    const found = await versions.list(db, member.orgId, id, { before: undefined, limit: 50 })
    const path = `/app/templates/${id}/versions`
    const main = html`${parentLink(name, `/app/templates/${id}`)}<h1>Versions of ${name}</h1>
<p class="lead">Each change adds a version. Millrace keeps the newest 50.</p>
${dataTable('Versions, newest first', found, {
  Version: [
    '',
    ({ number }) =>
      html`<a href="${path}/${number}">${number}</a>${number === found[0]?.number && html` <span class="quiet">current</span>`}`,
  ],
  Subject: ['break wide', ({ subject }) => subject],
  Saved: ({ created_at }) => ago(created_at),
  Restore: may('areas:write') && [
    'actions',
    ({ number }) =>
      number !== found[0]?.number &&
      actionButton(member, `${path}/${number}/restore`, 'Restore', { of: `version ${number}` }),
  ],
})}`
    return { title: `Versions of ${name}`, main }
  },
})

/** A number that is invalid is not found. */
const ofVersion = params.extend({ number: VersionNumber.catch(0) })

export const readVersion = page({
  path: '/templates/{template_id}/versions/{number}',
  summary: 'Show a version of an email template',
  section,
  permission: 'templates:read',
  params: ofVersion,
  query: z.object({ view }),
  async view({ db, member, may, params: { template_id: id, number }, query }) {
    const found = await mustFind(versions.find(db, member.orgId, id, number), 'version')
    const path = `/app/templates/${id}/versions/${number}`
    const main = html`${parentLink('Versions', `/app/templates/${id}/versions`)}<div class="title"><h1>${found.name}, version ${number}</h1>${
      may('areas:write') && actionButton(member, `${path}/restore`, 'Restore this version')
    }</div>
<dl class="facts"><div><dt>Subject</dt><dd>${found.subject}</dd></div><div><dt>Variables</dt><dd>${variablesOf(listExampleNames(found))}</dd></div><div><dt>Saved</dt><dd>${ago(found.created_at)}</dd></div></dl>
${contentOf(found, path, query.view)}`
    return { title: `${found.name}, version ${number}`, main, reaches }
  },
})

export const versionShown = route({
  ...shared,
  method: 'GET',
  path: '/templates/{template_id}/versions/{number}/shown',
  summary: 'Show the email of a template version',
  params: ofVersion,
  query: z.object({ view }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'templates:read' })
    if (!allowed) return
    const { template_id: id, number } = call.params
    const found = await mustFind(versions.find(call.db, allowed.member.orgId, id, number), 'version')
    sendMailFrame(call.ctx, renderExample(found, new Map()), toMailView(call.query.view))
  },
})

export const bringBack = action({
  path: '/templates/{template_id}/versions/{number}/restore',
  summary: 'Restore a version of an email template',
  permission: 'areas:write',
  params: ofVersion,
  back: ({ template_id: id }) => `/app/templates/${id}/versions`,
  async perform({ ask, params: { template_id: id, number } }) {
    await ask(restore, { params: { id, number: String(number) } }, z.unknown())
    return { to: `/app/templates/${id}`, told: `Version ${number} restored.` }
  },
})

export const { show: askForTest, submit: tested } = formPage({
  path: '/templates/{template_id}/test',
  summary: 'Send a test of an email template',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ from: z.string().max(400), to: z.string().max(400), ...exampleFields }),
  async view({ db, member, params: { template_id: id }, filled, fault }) {
    const found = await ownTemplate(db, member.orgId, id)
    const verified = (await domains.list(db, member.orgId, { limit: 200, before: undefined })).find(
      ({ status }) => status === 'verified',
    )
    const given = toExamples({
      variable: [filled.given.variable ?? []].flat(),
      example: [filled.given.example ?? []].flat(),
    })
    const main = html`${parentLink(found.name, `/app/templates/${id}`)}<h1>Send a test of ${found.name}</h1>${renderFault(fault)}
${!verified && html`<p class="note">Add and verify a domain before you send email. <a href="/app/domains">Domains</a></p>`}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'to', label: 'To', type: 'email', required: true, otherwise: member.email })}
${textField(filled, { name: 'from', label: 'From', type: 'email', required: true, otherwise: verified ? `hello@${verified.domain}` : '', hint: 'An address in a verified domain.' })}
<fieldset class="field examples"><legend>Values</legend>${listExampleNames(found).map((name, i) => exampleField(name, given.get(name) ?? defaultExample(name), i))}</fieldset>
<button>Send test</button></form>`
    return { title: `Send a test of ${found.name}`, main }
  },
  async submit({ db, member, ask, params: { template_id: id }, given }) {
    const found = await ownTemplate(db, member.orgId, id)
    const examples = toExamples(given)
    const body = {
      stream: 'transactional',
      from: { email: given.from.trim() },
      to: given.to.trim(),
      subject: `[Test] ${renderExample(found, examples).subject}`.slice(0, 998),
      template_id: id,
      variables: exampleVariables(found, examples),
    }
    const { id: message } = await ask(send, { body }, z.object({ id: z.string() }))
    return { to: `/app/mail/${message}`, told: 'Test sent.' }
  },
})
