import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as texts from '#sql/notify/texts.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, linesField, optionalField, textField, textOf } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { EventType } from '../fields.ts'
import * as operations from '../texts.ts'
import { exampleData, parseData } from './example-data.ts'
import { section, textPath } from './section.ts'
import { listTemplates, type NamedTemplate, templateField } from './template-field.ts'
import { renderPreview, type TextContent } from './text-preview.ts'

const Content = {
  title: z.string(),
  body: optionalField(z.string()),
  sms: optionalField(z.string()),
  template_id: optionalField(z.string()),
  data: z.string().optional(),
  do: z.enum(['save', 'preview']).default('save'),
}

/** Path parameters of a text. Its type can have any characters. */
export const textParams = z.object({ type: EventType, locale: z.string().max(35) })

interface Shown {
  filled: FormState
  type: string
  content: TextContent & { template_id?: string | null }
  templates: readonly NamedTemplate[]
}

/** Renders the fields beside a preview that changes as the member writes. */
function contentForm(
  member: PageCall<unknown, unknown>['member'],
  { filled, type, content, templates }: Shown,
  before?: Html,
): Html {
  const given = { title: textOf(filled, 'title', content.title), body: textOf(filled, 'body', content.body ?? '') }
  const sms = textOf(filled, 'sms', content.sms ?? '')
  const data = textOf(filled, 'data', exampleData([given.title, given.body, sms]))
  return html`<div class="beside"><form class="form" method="post" data-preview>${tokenField(member)}
${before}
${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: content.title, hint: html`Also the subject of emails. Placeholders: <code>{{data.order}}</code>, <code>{{person.name}}</code>, <code>{{count}}</code>.` })}
${linesField(filled, { name: 'body', label: 'Body', prose: true, rows: 8, otherwise: content.body ?? '', hint: html`Optional. <code>{{items}}</code> contains the titles of a digest.` })}
${linesField(filled, { name: 'sms', label: 'Text for SMS', prose: true, few: true, otherwise: content.sms ?? '', hint: 'Optional. Up to 480 characters. Default: title and body.' })}
${templateField(filled, templates, 'Optional. Emails then have the subject and content of the template.', { otherwise: content.template_id ?? '' })}
${linesField(filled, { name: 'data', label: 'Example data (JSON)', few: true, otherwise: data, hint: 'Optional. Values for placeholders in the preview, such as data.order.' })}
<p class="actions"><button name="do" value="save">Save</button> <button class="plain unscripted" name="do" value="preview">Update preview</button> <a class="button plain" href="/app/notify/texts">Cancel</a></p></form>
${renderPreview(type, { title: given.title, body: given.body === '' ? null : given.body, sms: sms === '' ? null : sms }, safeData(data))}</div>`
}

/** Invalid example data does not hide the preview. */
function safeData(json: string): Record<string, string> {
  try {
    return parseData(json)
  } catch {
    return {}
  }
}

const nothing: TextContent = { title: '', body: null }

export const { show: askForText, submit: write } = formPage({
  path: '/notify/texts/new',
  summary: 'Write a text',
  section,
  permission: 'areas:write',
  query: z.object({ type: z.string().max(200).optional() }),
  fields: z.object({ ...Content, type: z.string(), locale: z.string() }),
  view: async (call) => await newText(call, call.filled, call.fault),
  async submit(call) {
    const { db, member, ask, given } = call
    const { do: wanted, data, ...text } = given
    if (wanted === 'preview') return { view: await newText(call, filledOf(given)) }
    const key = { org_id: member.orgId, type: text.type, locale: text.locale.toLowerCase() }
    if (await texts.find(db, key))
      throw badRequest([
        { field: 'form.locale', issue: 'is invalid, because this type has a text in this language. Edit that text' },
      ])
    const { type, locale } = await ask(
      operations.put,
      { body: text },
      z.object({ type: z.string(), locale: z.string() }),
    )
    return { to: textPath(type, locale), told: 'Text saved.' }
  },
})

type NewCall = Pick<PageCall<unknown, { type?: string | undefined }>, 'db' | 'member' | 'query'>

async function newText({ db, member, query }: NewCall, filled: FormState, fault?: string) {
  const type = textOf(filled, 'type', query.type ?? '')
  const before = html`<div class="pair">${textField(filled, { name: 'type', label: 'Event type', required: true, otherwise: query.type ?? '', hint: 'For example, order.shipped.' })}
${textField(filled, { name: 'locale', label: 'Language', required: true, otherwise: 'en', hint: 'For example, en or de-AT.' })}</div>`
  const main = html`${parentLink('Texts', '/app/notify/texts')}<h1>Write a text</h1>${renderFault(fault)}
${contentForm(member, { filled, type, content: nothing, templates: await listTemplates(db, member.orgId, 'email') }, before)}`
  return { title: 'Write a text', main }
}

const filledOf = (given: Readonly<Record<string, string | undefined>>): FormState => ({
  given: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? ''])),
  faults: {},
})

const keyOf = (call: Pick<PageCall<z.output<typeof textParams>, unknown>, 'member' | 'params'>) => ({
  org_id: call.member.orgId,
  type: call.params.type,
  locale: call.params.locale.toLowerCase(),
})

const versionsShown = 50

export const { show: askForChange, submit: change } = formPage({
  path: '/notify/texts/{type}/{locale}',
  summary: 'Edit a text',
  section,
  permission: 'templates:read',
  params: textParams,
  query: z.object({
    version: z
      .string()
      .regex(/^\d{1,9}$/)
      .optional(),
  }),
  fields: z.object(Content),
  view: async (call) => await editPage(call, call.filled, call.fault),
  async submit(call) {
    const { ask, given, params } = call
    const { do: wanted, title, body, sms, template_id } = given
    if (wanted === 'preview') return { view: await editPage(call, filledOf(given)) }
    await mustFind(texts.find(call.db, keyOf(call)), 'text')
    const { version } = await ask(
      operations.put,
      { body: { ...params, title, body, sms, template_id } },
      z.object({ version: z.int() }),
    )
    return { to: textPath(params.type, params.locale), told: `Version ${version} saved. New runs use it.` }
  },
})

type EditCall = Pick<
  PageCall<z.output<typeof textParams>, { version?: string | undefined }>,
  'db' | 'member' | 'may' | 'params' | 'query' | 'services'
>

async function editPage(call: EditCall, filled: FormState, fault?: string) {
  const { db, member, may, params, query } = call
  const { type, locale } = params
  const current = await mustFind(texts.find(db, keyOf(call)), 'text')
  const all = await texts.listVersions(db, keyOf(call), versionsShown)
  const opened = all.find(({ version, is_removed }) => String(version) === query.version && !is_removed)
  const content = opened ?? current
  const path = textPath(type, locale)
  const buttons =
    may('areas:write') &&
    html`<div class="actions"><a class="button" href="${path}/send">Send a test</a><a class="button" data-confirm href="${path}/delete">Delete<span class="unseen"> text</span></a></div>`
  const main = html`${parentLink('Texts', '/app/notify/texts')}<div class="title"><h1>${type} <span class="quiet">${locale}</span></h1>${buttons}</div>${renderFault(fault)}
${opened && opened.version !== current.version && html`<p class="notice">The form shows version ${opened.version}. Save it to restore it as a new version.</p>`}
${may('areas:write') ? contentForm(member, { filled, type, content, templates: await listTemplates(db, member.orgId, 'email') }) : html`<dl class="facts"><div><dt>Title</dt><dd>${content.title}</dd></div></dl>${content.body !== null && html`<pre tabindex="0" aria-label="Body">${content.body}</pre>`}${content.template_id !== null && html`<p>Email template: <code>${content.template_id}</code></p>`}${renderPreview(type, content, {})}`}
<section><h2>Versions</h2>${versionTable(path, all)}</section>
${apiCall(call.services, 'notify.texts.put', { body: { type, locale, title: current.title, ...(current.body !== null && { body: current.body }), ...(current.sms !== null && { sms: current.sms }), ...(current.template_id !== null && { template_id: current.template_id }) } })}`
  return { title: `Text of ${type}`, main }
}

const versionTable = (path: string, all: readonly texts.Text[]): Html =>
  dataTable('Versions', all, {
    Version: (one) =>
      one.is_removed
        ? `Version ${one.version}`
        : html`<a href="${path}?version=${one.version}">Version ${one.version}</a>`,
    State: (one) =>
      one.is_removed
        ? quiet('deleted')
        : one.is_current
          ? statusBadge('active', { shown: 'current' })
          : quiet('earlier version'),
    Title: ['break', (one) => one.title],
    Created: (one) => ago(one.created_at),
  })

export const { show: askToDelete, submit: remove } = formPage({
  path: '/notify/texts/{type}/{locale}/delete',
  summary: 'Delete a text',
  section,
  permission: 'areas:write',
  params: textParams,
  fields: z.object({}),
  async view(call) {
    const { type, locale } = await mustFind(texts.find(call.db, keyOf(call)), 'text')
    const path = textPath(type, locale)
    const main = html`${parentLink(`${type} ${locale}`, path)}${renderFault(call.fault)}
<form class="question" id="question" method="post" action="${path}/delete">${tokenField(call.member)}
<h1 id="confirm-title">Delete the text of ${type} in ${locale}?</h1>
<p>Messages then use the fallback language, or the text of the event. Runs in progress keep using this text.</p>
<p class="actions"><button class="grave">Delete text</button> <a class="button plain" data-back href="${path}">Cancel</a></p></form>`
    return { title: 'Delete text', main }
  },
  async submit({ ask, params }) {
    await ask(operations.remove, { query: params }, z.object({}))
    return { to: '/app/notify/texts', told: 'Text deleted.' }
  },
})
