import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create, remove } from '../suppressions.ts'

export const section = {
  title: 'Suppressions',
  path: '/app/suppressions',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const query = z.object({
  email: optionalField(Address),
  reason: optionalField(suppressions.Reason),
  before: Id.optional(),
})

const filters: readonly Filter[] = [
  { name: 'email', label: 'Email address', type: 'email' },
  { name: 'reason', label: 'Reason', options: suppressions.Reason.options },
]

export const overview = page({
  path: '/suppressions',
  summary: 'List suppressed addresses',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, may, query: { email, reason, before } }) {
    const where = whereOf(suppressions.filters, { email, reason })
    const found = await suppressions.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const wanted = email !== undefined || reason !== undefined
    const main = html`<div class="title"><h1>Suppressions</h1>${may('areas:write') && html`<p class="actions"><a class="button primary" href="/app/suppressions/new">Suppress an address</a> <a class="button" href="/app/suppressions/import">Import</a> <a class="button" href="/app/suppressions/suppressions.csv">Export CSV</a></p>`}</div>
${filterForm(filters, { email, reason })}
${shown.length === 0 ? emptyState(wanted ? 'No suppressed addresses match these filters.' : 'No suppressed addresses.', !wanted && 'Addresses with permanent bounces or complaints are added automatically.') : suppressionTable(shown, may('areas:write') && member)}
${older(section.path, { email, reason })}`
    return { title: 'Suppressions', main }
  },
})

const suppressionTable = (shown: readonly suppressions.Suppression[], by: Member | false): Html =>
  dataTable('Suppressions', shown, {
    'Email address': ({ email }) => email,
    Reason: ({ reason, message_id }) =>
      html`${reason}${message_id && html` <a href="/app/mail/${message_id}">message</a>`}`,
    Details: ['break wide', ({ detail }) => detail],
    Since: ({ created_at }) => ago(created_at),
    'Remove suppression': by && [
      'actions',
      ({ email, reason }) =>
        reason === 'complaint'
          ? quiet('permanent')
          : actionButton(by, '/app/suppressions/remove', 'Remove suppression', { of: email, fields: { email } }),
    ],
  })

export const { show: askForAddress, submit: add } = formPage({
  path: '/suppressions/new',
  summary: 'Suppress an address',
  section,
  permission: 'areas:write',
  fields: z.object({ email: z.string(), detail: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Suppressions', section.path)}<h1>Suppress an address</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'email', label: 'Email address', type: 'email', required: true, hint: 'Nothing is sent to this address on any stream until you remove the suppression.' })}
${textField(filled, { name: 'detail', label: 'Reason', hint: 'Optional. Only visible to members.' })}
<button>Suppress address</button></form>`
    return { title: 'Suppress an address', main }
  },
  async submit({ ask, given }) {
    const detail = given.detail.trim()
    const body = { email: given.email.trim(), ...(detail !== '' && { detail }) }
    const { email } = await ask(create, { body }, z.object({ email: z.string() }))
    return { to: section.path, told: `Address ${email} suppressed.` }
  },
})

export const letGo = action({
  path: '/suppressions/remove',
  summary: 'Remove a suppression',
  permission: 'areas:write',
  fields: z.object({ email: Address }),
  back: () => section.path,
  async perform({ ask, given: { email } }) {
    await ask(remove, { params: { email } }, z.unknown())
    return { to: section.path, told: `Suppression of ${email} removed.` }
  },
})
