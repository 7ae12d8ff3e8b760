import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as templates from '#sql/email/templates.ts'
import * as pushTemplates from '#sql/push/templates.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'

export const section = {
  title: 'Templates',
  path: '/app/templates',
  group: 'Email',
  guide: 'email',
  permission: 'templates:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/templates',
  summary: 'List templates of email and push',
  section,
  permission: 'templates:read',
  query: z.object({ mail: Id.optional(), push: Id.optional() }),
  async view({ db, member, may, query: { mail, push } }) {
    const ofMail = await templates.list(db, member.orgId, { before: mail, limit: perPage + 1 })
    const ofPush = await pushTemplates.list(db, member.orgId, { before: push, limit: perPage + 1 })
    const [mails, pushes] = [cutPage(ofMail), cutPage(ofPush)]
    const main = html`<h1>Templates</h1>
<section><div class="title"><h2>Email</h2>${may('areas:write') && html`<a class="button primary" href="/app/templates/new">Create email template</a>`}</div>${
      ofMail.length === 0
        ? emptyState('No email templates yet.', 'A template has placeholders that each message fills in.')
        : templateTable('Email templates', '/app/templates', mails.shown)
    }${mails.older(section.path, { push }, 'mail')}</section>
<section><h2>Push</h2>${
      ofPush.length === 0
        ? emptyState(
            'No push templates yet.',
            html`Create push templates on the <a href="/app/push/templates">Push</a> pages.`,
          )
        : templateTable('Push templates', '/app/templates/push', pushes.shown)
    }${pushes.older(section.path, { mail }, 'push')}</section>`
    return { title: 'Templates', main }
  },
})

const templateTable = (
  caption: string,
  path: string,
  shown: readonly Pick<templates.Template, 'id' | 'name' | 'updated_at'>[],
): Html =>
  dataTable(caption, shown, {
    Name: ({ id, name }) => html`<a href="${path}/${id}">${name}</a>`,
    Id: ['id break wide', ({ id }) => id],
    Updated: ({ updated_at }) => ago(updated_at),
  })

export const variablesOf = (names: readonly string[]): Html =>
  names.length === 0 ? quiet('none') : html`${names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}`

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
