import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/guard/sites.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { parseOrigins } from '../../http/request/origin.ts'
import { create } from '../sites.ts'

export const section = {
  title: 'Guard',
  path: '/app/guard',
  group: 'Trust',
  guide: 'guard',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/guard',
  summary: 'List sites',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const make = may('areas:write') && html`<a class="button primary" href="/app/guard/new">Create a site</a>`
    const main = html`<div class="title"><h1>Guard</h1>${make}</div>
${shown.length === 0 ? emptyState('No sites yet.', 'A site has a public key for the forms on its pages.', make) : siteTable(shown)}
${older(section.path)}`
    return { title: 'Guard', main }
  },
})

const siteTable = (shown: readonly rows.Site[]): Html =>
  dataTable('Sites', shown, {
    Site: ({ id, name }) => html`<a href="/app/guard/${id}">${name}</a>`,
    Origins: ['break', ({ origins }) => origins.join(' ') || quiet('none')],
    Created: ({ created_at }) => ago(created_at),
  })

export const { show: askForSite, submit: make } = formPage({
  path: '/guard/new',
  summary: 'Create a site',
  section,
  permission: 'areas:write',
  fields: z.object({ name: z.string(), origins: z.string().max(20_000).default('') }),
  query: z.object({ origins: z.string().max(300).optional() }),
  async view({ member, query, filled, fault }) {
    const main = html`${parentLink('Guard', section.path)}<h1>Create a site</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Internal name. For example, Shop.' })}
${linesField(filled, {
  name: 'origins',
  label: 'Page origins',
  hint: 'One per line. For example, https://www.example.com. The key works only on pages of these origins.',
  few: true,
  otherwise: query.origins,
})}
<button>Create</button></form>`
    return { title: 'Create a site', main }
  },
  async submit({ ask, given: { name, origins } }) {
    const { id } = await ask(create, { body: { name, origins: parseOrigins(origins) } }, z.object({ id: Id }))
    return { to: `/app/guard/${id}`, told: 'Site created. Its key is below.' }
  },
})
