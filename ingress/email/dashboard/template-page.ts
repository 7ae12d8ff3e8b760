import type { Context } from 'koa'
import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as drafts from '#sql/email/template-drafts.ts'
import * as versions from '#sql/email/template-versions.ts'
import * as templates from '#sql/email/templates.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { sendMailFrame } from '../../http/dashboard/mail-frame.ts'
import { action, formPage, page, shared } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { create as send } from '../messages.ts'
import { publish, remove as removeDraft } from '../template-drafts.ts'
import { restore, VersionNumber } from '../template-versions.ts'
import { defaultExample, exampleVariables, listExampleNames, renderExample } from '../templates/example.ts'
import { mailFrame, toMailView, viewLinks } from './mail-views.ts'
import { exampleField, exampleFields, sentencesOf, toExamples, toTestData } from './template-form.ts'
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
    const draft = await drafts.find(db, member.orgId, id)
    const path = `/app/templates/${id}`
    const main = html`${parentLink('Templates', section.path)}<div class="title"><h1>${found.name}</h1>${
      may('areas:write') &&
      html`<p class="actions"><a class="button primary" href="${path}/edit">Edit</a> ${found.kind === 'email' && html`<a class="button" href="${path}/test">Send a test</a> `} <a class="button" href="${path}/versions">Versions</a> <a class="button" href="${path}/remove">Delete</a></p>`
    }</div>
<dl class="facts"><div><dt>Template ID</dt><dd>${copyable(found.id, 'the template ID')}</dd></div>
${found.alias !== null && html`<div><dt>Alias</dt><dd><code>${found.alias}</code></dd></div>`}
${found.kind === 'email' ? html`<div><dt>Subject</dt><dd>${found.subject}</dd></div>` : html`<div><dt>Kind</dt><dd>${found.kind}</dd></div>`}<div><dt>Syntax</dt><dd>${found.syntax}${found.mjml !== null && ', MJML'}</dd></div><div><dt>Variables</dt><dd>${variablesOf(found.variables ?? [])}</dd></div>
${found.uses.length > 0 && html`<div><dt>Uses</dt><dd>${variablesOf(found.uses)}</dd></div>`}
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div></dl>
${draft && draftNotice(member, path, draft, may('areas:write'))}
${contentOf(found, path, query.view)}
${found.kind === 'email' && apiCall(services, 'email.messages.create', { body: await exampleMessage(db, found) }, { title: 'API: Send an email with this template' })}`
    return { title: found.name, main, reaches }
  },
})

/** Returns the body of a call that sends the template from the oldest verified domain, with example values. */
async function exampleMessage(db: Db, template: templates.Template): Promise<Record<string, unknown>> {
  const from = (await domains.oldestVerified(db, template.org_id, undefined))?.domain ?? 'example.com'
  const { id, alias, variables: named, test_data } = template
  const variables = exampleVariables(template, named ?? [], new Map(), test_data)
  return {
    stream: 'transactional',
    from: { email: `hello@${from}` },
    to: 'ann@example.org',
    ...(alias === null ? { template_id: id } : { template: alias }),
    ...(Object.keys(variables).length > 0 && { variables }),
  }
}

function draftNotice(member: Member, path: string, { updated_at }: drafts.TemplateDraft, mayWrite: boolean): Html {
  const actions =
    mayWrite &&
    html`<p class="actions">${actionButton(member, `${path}/publish`, 'Publish draft')} <a class="button plain" href="${path}/edit">Edit draft</a> ${actionButton(member, `${path}/discard`, 'Discard draft')}</p>`
  return html`<section class="notice" id="draft"><p>The template has a draft from ${ago(updated_at)}. Messages use it after you publish it. <a href="${path}/shown?state=draft">Show the draft</a></p>${actions}</section>`
}

const contentOf = (parts: Pick<templates.Template, 'html' | 'mjml' | 'text'>, path: string, chosen: string): Html =>
  html`<section id="content"><div class="title"><h2>Preview</h2>${viewLinks(path, chosen, [['source', 'Source']])}</div>
${
  chosen === 'source'
    ? html`${parts.mjml !== null && html`<h3>MJML</h3><pre tabindex="0">${parts.mjml}</pre>`}<h3>HTML</h3><pre tabindex="0">${parts.html}</pre><h3>Text</h3>${parts.text === null ? html`<p class="quiet">The text is created from the HTML.</p>` : html`<pre tabindex="0">${parts.text}</pre>`}`
    : html`<div class="mail-stage">${mailFrame(`${path}/shown?view=${toMailView(chosen)}`, chosen)}</div>`
}</section>`

export const shown = route({
  ...shared,
  method: 'GET',
  path: '/templates/{template_id}/shown',
  summary: 'Show the email of a template with example values',
  params,
  query: z.object({ view, state: z.enum(['published', 'draft']).catch('published') }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'templates:read' })
    if (!allowed) return
    const { orgId } = allowed.member
    const found = await ownTemplate(call.db, orgId, call.params.template_id)
    const draft = call.query.state === 'draft' ? await drafts.find(call.db, orgId, found.id) : null
    await sendExample(call, { ...found, ...draft })
  },
})

/** Sends the email of a stored template, with its test data. */
async function sendExample(
  { ctx, db, query }: { ctx: Context; db: Db; query: { view: string } },
  found: Pick<templates.Template, 'org_id' | 'subject' | 'html' | 'text' | 'syntax'> & {
    test_data?: templates.Template['test_data']
  },
): Promise<void> {
  const made = await renderExample(db, { ...found, mjml: null }, new Map(), found.test_data)
  const missing = made.html === null && made.faults.length > 0 && html`<p>${sentencesOf(made).join(' ')}</p>`.text
  sendMailFrame(ctx, { html: missing || made.html, text: made.text }, toMailView(query.view))
}

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
<dl class="facts"><div><dt>Subject</dt><dd>${found.subject}</dd></div><div><dt>Variables</dt><dd>${variablesOf(found.variables ?? listExampleNames(found))}</dd></div><div><dt>Saved</dt><dd>${ago(found.created_at)}</dd></div></dl>
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
    await sendExample(call, { ...found, org_id: allowed.member.orgId })
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

export const publishDraft = action({
  path: '/templates/{template_id}/publish',
  summary: 'Publish the draft of an email template',
  permission: 'areas:write',
  params,
  back: ({ template_id: id }) => `/app/templates/${id}`,
  async perform({ ask, params: { template_id: id } }) {
    await ask(publish, { params: { id } }, z.unknown())
    return { to: `/app/templates/${id}`, told: 'Draft published.' }
  },
})

export const discardDraft = action({
  path: '/templates/{template_id}/discard',
  summary: 'Delete the draft of an email template',
  permission: 'areas:write',
  params,
  back: ({ template_id: id }) => `/app/templates/${id}`,
  async perform({ ask, params: { template_id: id } }) {
    await ask(removeDraft, { params: { id } }, z.unknown())
    return { to: `/app/templates/${id}`, told: 'Draft deleted.' }
  },
})

export const { show: askForTest, submit: tested } = formPage({
  path: '/templates/{template_id}/test',
  summary: 'Send a test of an email template',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    from: z.string().max(400),
    to: z.string().max(400),
    test_data: z.string().max(200_000).default(''),
    ...exampleFields,
  }),
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
${
  found.syntax === 'liquid'
    ? linesField(filled, {
        name: 'test_data',
        label: 'Variables (JSON)',
        rows: 10,
        otherwise: JSON.stringify(exampleVariables(found, found.variables ?? [], new Map(), found.test_data), null, 2),
        hint: 'For example, {"name": "Ann"}.',
      })
    : html`<fieldset class="field examples"><legend>Values</legend>${listExampleNames(found).map((name, i) => exampleField(name, given.get(name) ?? defaultExample(name, found.test_data), i))}</fieldset>`
}
<button>Send test</button></form>`
    return { title: `Send a test of ${found.name}`, main }
  },
  async submit({ db, member, ask, params: { template_id: id }, given }) {
    const found = await ownTemplate(db, member.orgId, id)
    const examples = toExamples(given)
    const isLiquid = found.syntax === 'liquid'
    const variables = isLiquid
      ? (toTestData(given) ?? {})
      : exampleVariables(found, listExampleNames(found), examples, found.test_data)
    const { subject } = await renderExample(
      db,
      { ...found, mjml: null },
      examples,
      isLiquid ? variables : found.test_data,
    )
    const body = {
      stream: 'transactional',
      from: { email: given.from.trim() },
      to: given.to.trim(),
      subject: `[Test] ${subject}`.slice(0, 998),
      template_id: id,
      variables,
    }
    const { id: message } = await ask(send, { body }, z.object({ id: z.string() }))
    return { to: `/app/mail/${message}`, told: 'Test sent.' }
  },
})
