import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/guard/sites.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, olderLink, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { parseOrigins } from '../../http/request/origin.ts'
import { create } from '../sites.ts'

export const section = {
  title: 'Guard',
  path: '/app/guard',
  group: 'Knowledge and trust',
  permission: 'log:read',
} as const satisfies DashboardSection

const perPage = 50

export const overview = page({
  path: '/guard',
  summary: 'List sites',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const make = may('areas:write') && html`<a class="button primary" href="/app/guard/new">Create a site</a>`
    const main = html`<div class="title"><h1>Guard</h1>${make}</div>
${shown.length === 0 ? emptyState('No sites yet. A site has a public key for the forms on its pages.') : siteTable(shown)}
${last && olderLink(section.path, { before: last.id })}`
    return { title: 'Guard', main }
  },
})

const siteTable = (shown: readonly rows.Site[]): Html => html`<table class="data stacks">
<caption class="unseen">Sites</caption>
<thead><tr><th scope="col">Site</th><th scope="col">Origins</th><th scope="col">Created</th></tr></thead>
<tbody>${shown.map(
  ({
    id,
    name,
    origins,
    created_at,
  }) => html`<tr><th scope="row" class="break"><a href="/app/guard/${id}">${name}</a></th>
<td class="break" data-label="Origins">${origins.join(' ') || html`<span class="quiet">none</span>`}</td><td data-label="Created">${ago(created_at)}</td></tr>`,
)}</tbody></table>`

export const { show: askForSite, submit: make } = formPage({
  path: '/guard/new',
  summary: 'Create a site',
  section,
  permission: 'areas:write',
  fields: z.object({ name: z.string(), origins: z.string().max(20_000).default('') }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Guard', section.path)}<h1>Create a site</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Internal name. For example, Shop.' })}
${linesField(filled, {
  name: 'origins',
  label: 'Page origins',
  hint: 'One per line. For example, https://www.example.com. The key works only on pages of these origins.',
  few: true,
})}
<button>Create</button></form>`
    return { title: 'Create a site', main }
  },
  async submit({ ask, given: { name, origins } }) {
    const { id } = await ask(create, { body: { name, origins: parseOrigins(origins) } }, z.object({ id: Id }))
    return { to: `/app/guard/${id}`, told: 'Site created. Its key is below.' }
  },
})
