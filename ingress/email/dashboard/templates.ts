import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as templates from '#sql/email/templates.ts'
import * as pushTemplates from '#sql/push/templates.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable, emptyState, olderLink, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'

export const section = {
  title: 'Templates',
  path: '/app/templates',
  group: 'Messaging',
  permission: 'templates:read',
} as const satisfies DashboardSection

const perPage = 50

export const overview = page({
  path: '/templates',
  summary: 'List templates of email and push',
  section,
  permission: 'templates:read',
  query: z.object({ mail: Id.optional(), push: Id.optional() }),
  async view({ db, member, query: { mail, push } }) {
    const ofMail = await templates.list(db, member.orgId, { before: mail, limit: perPage + 1 })
    const ofPush = await pushTemplates.list(db, member.orgId, { before: push, limit: perPage + 1 })
    const main = html`<h1>Templates</h1>
<section><h2>Email</h2>${
      ofMail.length === 0
        ? emptyState('No email templates yet.', 'Create templates with the API: POST /send/v1/templates.')
        : templateTable('Email templates', '/app/templates', ofMail.slice(0, perPage))
    }${ofMail.length > perPage && olderLink(section.path, { mail: ofMail[perPage - 1]?.id, push })}</section>
<section><h2>Push</h2>${
      ofPush.length === 0
        ? emptyState('No push templates yet.', 'Create templates with the API: POST /push/v1/templates.')
        : templateTable('Push templates', '/app/templates/push', ofPush.slice(0, perPage))
    }${ofPush.length > perPage && olderLink(section.path, { mail, push: ofPush[perPage - 1]?.id })}</section>`
    return { title: 'Templates', main }
  },
})

const templateTable = (
  caption: string,
  path: string,
  shown: readonly Pick<templates.Template, 'id' | 'name' | 'updated_at'>[],
): Html => html`<table class="data stacks">
<caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Id</th><th scope="col">Updated</th></tr></thead>
<tbody>${shown.map(
  ({
    id,
    name,
    updated_at,
  }) => html`<tr><th scope="row" class="break"><a href="${path}/${id}">${name}</a></th><td class="id break wide">${id}</td>
<td data-label="Updated">${ago(updated_at)}</td></tr>`,
)}</tbody></table>`

export const read = page({
  path: '/templates/{template_id}',
  summary: 'Show an email template',
  section,
  permission: 'templates:read',
  params: z.object({ template_id: pathId('template') }),
  async view({ db, member, params }) {
    const found = await mustFind(templates.find(db, member.orgId, params.template_id), 'template')
    const main = html`${parentLink('Templates', section.path)}<h1>${found.name}</h1>
<dl class="facts"><div><dt>Template</dt><dd>${copyable(found.id, 'the template ID')}</dd></div>
<div><dt>Subject</dt><dd>${found.subject}</dd></div><div><dt>Variables</dt><dd>${variablesOf(found.variables ?? [])}</dd></div>
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div></dl>
<section><h2>Text</h2>${found.text === null ? html`<p class="quiet">The text is created from the HTML.</p>` : html`<pre tabindex="0">${found.text}</pre>`}</section>
<section><h2>HTML</h2><pre tabindex="0">${found.html}</pre></section>`
    return { title: found.name, main }
  },
})

const variablesOf = (names: readonly string[]): Html =>
  names.length === 0
    ? html`<span class="quiet">none</span>`
    : html`${names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}`

export const readPush = page({
  path: '/templates/push/{template_id}',
  summary: 'Show a push template',
  section,
  permission: 'templates:read',
  params: z.object({ template_id: pathId('template') }),
  async view({ db, member, params }) {
    const found = await mustFind(pushTemplates.find(db, member.orgId, params.template_id), 'template')
    const byDefault = ([locale]: [string, unknown]) => Number(locale === found.default_locale)
    const texts = Object.entries(found.locales).sort((a, b) => byDefault(b) - byDefault(a))
    const main = html`${parentLink('Templates', section.path)}<h1>${found.name}</h1>
<dl class="facts"><div><dt>Template</dt><dd>${copyable(found.id, 'the template ID')}</dd></div>
<div><dt>Version</dt><dd>${count(found.version)}</dd></div><div><dt>Variables</dt><dd>${variablesOf(found.variables ?? [])}</dd></div>
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div></dl>
${texts.map(([locale, text]) => textOf(locale, text, locale === found.default_locale))}`
    return { title: found.name, main }
  },
})

const textOf = (locale: string, { title, body, data }: pushTemplates.Text, isDefault: boolean): Html =>
  html`<section><h2>${locale}${isDefault && html` <span class="quiet">default language</span>`}</h2>
<dl class="facts"><div><dt>Title</dt><dd>${title ?? '–'}</dd></div><div><dt>Text</dt><dd>${body ?? '–'}</dd></div></dl>
${data && html`<pre tabindex="0">${JSON.stringify(data, null, 2)}</pre>`}</section>`
