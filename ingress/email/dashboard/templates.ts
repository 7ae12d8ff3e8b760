import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as templates from '#sql/email/templates.ts'
import * as pushTemplates from '#sql/push/templates.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, shortId } from '../../http/html/parts.ts'

export const section = {
  title: 'Templates',
  path: '/app/templates',
  group: 'Email',
  guide: 'email',
  permission: 'templates:read',
} as const satisfies DashboardSection

/** Pages of push templates. The push area has them. */
const pushPath = '/app/push/templates'

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
        : templateTable('Email templates', '/app/templates', mails.shown, {
            Alias: ({ alias }) => (alias === null ? quiet('none') : html`<code>${alias}</code>`),
            Kind: ({ kind }) => kind,
          })
    }${mails.older(section.path, { push }, 'mail')}</section>
<section><div class="title"><h2>Push</h2>${may('areas:write') && html`<a class="button" href="${pushPath}/new">Create push template</a>`}</div>${
      ofPush.length === 0
        ? emptyState('No push templates yet.', 'A push template has a title and a text in each language.')
        : templateTable('Push templates', pushPath, pushes.shown)
    }${pushes.older(section.path, { mail }, 'push')}</section>`
    return { title: 'Templates', main }
  },
})

const templateTable = <Shown extends Pick<templates.Template, 'id' | 'name' | 'updated_at'>>(
  caption: string,
  path: string,
  shown: readonly Shown[],
  more: Readonly<Record<string, (one: Shown) => Content>> = {},
): Html =>
  dataTable(caption, shown, {
    Name: ({ id, name }) => html`<a href="${path}/${id}">${name}</a>`,
    ...more,
    ID: ({ id }) => shortId(id, { of: 'the template ID' }),
    Updated: ({ updated_at }) => ago(updated_at),
  })

export const variablesOf = (names: readonly string[]): Html =>
  names.length === 0 ? quiet('none') : html`${names.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}`
