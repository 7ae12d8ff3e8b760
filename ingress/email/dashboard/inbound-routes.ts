import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/inbound-routes.ts'
import { inboundHost } from '#tasks/email/rules/received/inbound-host.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import {
  actionButton,
  copyable,
  emptyState,
  linkButton,
  parentLink,
  renderFault,
  tokenField,
} from '../../http/html/parts.ts'
import { present } from '../inbound/route-view.ts'
import { create, remove } from '../inbound-routes.ts'

export const section = {
  title: 'Inbound routes',
  path: '/app/inbound-routes',
  group: 'Email',
  guide: 'email',
  permission: 'domains:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/inbound-routes',
  summary: 'List inbound routes',
  section,
  permission: 'domains:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Inbound routes</h1>${may('domains:write') && html`<a class="button primary" href="/app/inbound-routes/new">Create inbound route</a>`}</div>
${shown.length === 0 ? emptyState('No inbound routes yet.', 'Create a route to receive email at your own domain or at the host of this installation.', may('domains:write') && linkButton('/app/inbound-routes/new', 'Create inbound route')) : routeTable(shown, may('domains:write') && member)}
${older(section.path)}`
    return { title: 'Inbound routes', main }
  },
})

const routeTable = (shown: readonly rows.InboundRoute[], by: Member | false): Html =>
  dataTable('Inbound routes', shown.map(present), {
    Address: ({ id, address }) => html`<a href="/app/received?route_id=${id}">${address}</a>`,
    'MX record to publish': [
      'break wide',
      ({ record }) =>
        record
          ? html`${record.name} → ${copyable(`${record.priority} ${record.value}`, `the MX record of ${record.name}`)}`
          : quiet('not needed'),
    ],
    Created: ({ created_at }) => ago(new Date(created_at)),
    Delete: by && [
      'actions',
      ({ id, address }) => actionButton(by, '/app/inbound-routes/remove', 'Delete', { of: address, fields: { id } }),
    ],
  })

export const { show: askForAddress, submit: add } = formPage({
  path: '/inbound-routes/new',
  summary: 'Create an inbound route',
  section,
  permission: 'domains:write',
  fields: z.object({ address: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Inbound routes', section.path)}<h1>Create an inbound route</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'address', label: 'Email address', hint: `Optional. For example, support@example.com or *@example.com at a verified domain, or name@${inboundHost()}. Leave blank for a random address.` })}
<button>Create inbound route</button></form>`
    return { title: 'Create an inbound route', main }
  },
  async submit({ ask, given }) {
    const address = given.address.trim()
    const added = await ask(create, { body: address === '' ? {} : { address } }, z.object({ address: z.string() }))
    return { to: section.path, told: `Inbound route ${added.address} created.` }
  },
})

export const drop = action({
  path: '/inbound-routes/remove',
  summary: 'Delete an inbound route',
  permission: 'domains:write',
  fields: z.object({ id: Id }),
  back: () => section.path,
  async perform({ ask, given: { id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Inbound route deleted.' }
  },
})
