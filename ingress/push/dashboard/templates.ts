import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/push/templates.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../templates.ts'
import { section } from './apps.ts'
import { atFields, languageFields, templateFields, toLocales } from './template-form.ts'
import { previewPane, previewPath } from './template-preview.ts'

export const templatesPath = `${section.path}/templates`

export const overview = page({
  path: '/push/templates',
  summary: 'List push templates',
  section,
  permission: 'templates:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const make = may('areas:write') && html`<a class="button primary" href="${templatesPath}/new">Create a template</a>`
    const main = html`${parentLink('Push', section.path)}<div class="title"><h1>Push templates</h1>${make}</div>
${shown.length === 0 ? emptyState('No push templates yet.', 'A template has a title and a text in each language. Millrace fills in its variables when you send a message.') : table(shown)}
${older(templatesPath)}`
    return { title: 'Push templates', main }
  },
})

const table = (shown: readonly rows.TemplateSummary[]): Html =>
  dataTable('Push templates', shown, {
    Name: ({ id, name }) => html`<a href="${templatesPath}/${id}">${name}</a>`,
    'Default language': ({ default_locale }) => default_locale,
    Variables: ['break', ({ variables }) => variables?.join(', ') || quiet('none')],
    Version: ['number', ({ version }) => version],
    Updated: ({ updated_at }) => ago(updated_at),
  })

/** Renders the form of a template with its live preview. */
export const templateEditor = (
  member: Member,
  filled: FormState,
  button: string,
): Html => html`<div class="with-preview"><form class="form" method="post" data-preview="${previewPath}">${tokenField(member)}
<input type="hidden" name="version" value="${String(filled.given.version ?? '')}">
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Internal name. For example, order shipped.' })}
${languageFields(filled)}
${textField(filled, { name: 'default_locale', label: 'Default language', required: true, otherwise: 'en', hint: 'For devices and people without a matching language.' })}
${linesField(filled, { name: 'examples', label: 'Example values for the preview', few: true, hint: 'Optional. One per line. For example, order=1042. They are not stored.' })}
<p class="actions"><button>${button}</button> <button class="plain unscripted" formaction="${previewPath}" formnovalidate>Preview</button></p></form>
${previewPane(filled.given)}</div>`

export const { show: askForTemplate, submit: make } = formPage({
  path: '/push/templates/new',
  summary: 'Create a push template',
  section,
  permission: 'areas:write',
  fields: templateFields,
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Templates', templatesPath)}<h1>Create a push template</h1>${renderFault(fault)}
${templateEditor(member, filled, 'Create template')}`
    return { title: 'Create a push template', main }
  },
  async submit({ ask, given }) {
    const body = { name: given.name, default_locale: given.default_locale.trim(), locales: toLocales(given) }
    const { id } = await atFields(ask(create, { body }, z.object({ id: Id })), given)
    return { to: `${templatesPath}/${id}`, told: 'Template created.' }
  },
})
