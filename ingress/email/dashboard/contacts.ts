import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as contacts from '#sql/email/contacts.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField, splitCommaWords, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../contacts.ts'

export const section = {
  title: 'Contacts',
  path: '/app/contacts',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const query = z.object({
  email: optionalField(Address),
  status: optionalField(contacts.ContactStatus),
  before: Id.optional(),
})

const filters: readonly Filter[] = [
  { name: 'email', label: 'Email address', type: 'email' },
  { name: 'status', label: 'Status', options: contacts.ContactStatus.options },
]

export const overview = page({
  path: '/contacts',
  summary: 'List contacts and their consent',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, may, query: { email, status, before } }) {
    const found =
      email === undefined
        ? await contacts.list(db, member.orgId, {
            where: whereOf(contacts.filters, { status }),
            before,
            limit: perPage + 1,
          })
        : [await contacts.find(db, member.orgId, email)].filter((one) => one !== null)
    const { shown, older } = cutPage(found)
    const wanted = email !== undefined || status !== undefined
    const main = html`<div class="title"><h1>Contacts</h1>${may('areas:write') && html`<p class="actions"><a class="button primary" href="/app/contacts/new">Add a contact</a> <a class="button" href="/app/contacts/import">Import contacts</a> <a class="button" href="/app/contacts/consents/import">Import consents</a> <a class="button" href="/app/contacts/consents/consents.csv">Export consents</a> <a class="button" href="/app/contacts/reconfirm">Ask to confirm</a></p>`}</div>
${filterForm(filters, { email, status })}
${shown.length === 0 ? emptyState(wanted ? 'No contacts match these filters.' : 'No contacts yet. Campaigns are sent to confirmed contacts.', !wanted && 'Add a contact, or import a CSV file.', !wanted && may('areas:write') && linkButton('/app/contacts/new', 'Add a contact')) : contactTable(shown)}
${older(section.path, { status })}`
    return { title: 'Contacts', main }
  },
})

const contactTable = (shown: readonly contacts.Contact[]): Html =>
  dataTable('Contacts', shown, {
    'Email address': (one) => html`<a href="/app/contacts/${one.id}">${one.email}</a>`,
    Status: (one) => renderStatus(one),
    'Consent source': ['break wide', (one) => one.consent_source],
    Added: (one) => ago(one.created_at),
  })

export const renderStatus = ({ status }: Pick<contacts.Contact, 'status'>): Html => statusBadge(status)

export const { show: askForContact, submit: add } = formPage({
  path: '/contacts/new',
  summary: 'Add a contact',
  section,
  permission: 'areas:write',
  fields: z.object({
    email: z.string(),
    consent_source: z.string(),
    name: z.string().default(''),
    tags: z.string().default(''),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Contacts', section.path)}<h1>Add a contact</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'email', label: 'Email address', type: 'email', required: true })}
${textField(filled, { name: 'consent_source', label: 'Consent source', required: true, hint: 'For example, sign-up form, 3 May.' })}
${textField(filled, { name: 'name', label: 'Name', hint: 'Optional.' })}
${textField(filled, { name: 'tags', label: 'Tags', hint: 'Optional. Separated by commas.' })}
<button>Add contact</button></form>`
    return { title: 'Add a contact', main }
  },
  async submit({ ask, given }) {
    const [name, tags] = [given.name.trim(), splitCommaWords(given.tags)]
    const more = { ...(name !== '' && { name }), ...(tags.length > 0 && { tags }) }
    const body = { email: given.email.trim(), consent_source: given.consent_source, ...more }
    const { id, email } = await ask(create, { body }, z.object({ id: Id, email: z.string() }))
    return { to: `/app/contacts/${id}`, told: `Contact ${email} added.` }
  },
})
