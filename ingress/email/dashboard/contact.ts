import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as consents from '#sql/email/contacts/consents.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove, unsubscribe } from '../contacts.ts'
import { renderStatus, section } from './contacts.ts'

const params = z.object({ contact_id: pathId('contact') })

const ownContact = async (db: Db, orgId: string, id: string): Promise<contacts.Contact> =>
  await mustFind(contacts.findById(db, orgId, id), 'contact')

export const read = page({
  path: '/contacts/{contact_id}',
  summary: 'Show a contact and its consent history',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, params }) {
    const found = await ownContact(db, member.orgId, params.contact_id)
    const [history, evidence] = await Promise.all([
      events.listHistory(db, found.id),
      consents.listOf(db, found.id, false),
    ])
    const path = `/app/contacts/${found.id}`
    const isOpen = found.status !== 'unsubscribed'
    const main = html`${parentLink('Contacts', section.path)}<h1>${found.email}</h1>
<dl class="facts">${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Attributes</h2>${Object.keys(found.attributes).length === 0 ? emptyState('No attributes.') : html`<pre tabindex="0">${JSON.stringify(found.attributes, null, 2)}</pre>`}
${may('areas:write') && html`<p class="actions"><a class="button" href="${path}/edit">Edit contact</a></p>`}</section>
${Object.keys(found.topics).length > 0 && html`<section><h2>Email topics</h2>${topicTable(found)}</section>`}
${evidence.length > 0 && html`<section><h2>Evidence of consent</h2>${evidenceTable(evidence)}</section>`}
<section><h2>Consent</h2>${history.length === 0 ? emptyState('No consent history.') : historyTable(history)}</section>
${may('areas:write') && isOpen && html`<section><h2>Consent and deletion</h2><p class="actions"><a class="button" href="${path}/unsubscribe">Unsubscribe</a> <a class="button" href="${path}/remove">Delete</a></p></section>`}
${!isOpen && html`<p class="quiet">This contact has unsubscribed. The contact is kept so that it cannot be added again.</p>`}`
    return { title: found.email, main }
  },
})

function facts(found: contacts.Contact): [string, Html | string][] {
  const instants: [string, Date | null][] = [
    ['Added', found.created_at],
    ['Confirmation requested', found.asked_at],
    ['Confirmed', found.confirmed_at],
    ['Unsubscribed', found.unsubscribed_at],
  ]
  return [
    ['Status', renderStatus(found)],
    ['Name', found.name ?? '–'],
    ['Tags', found.tags.join(', ') || '–'],
    ['Consent source', found.consent_source ?? '–'],
    ...instants.flatMap(([name, at]): [string, string][] => (at ? [[name, `${formatInstant(at)} UTC`]] : [])),
  ]
}

const historyTable = (history: readonly events.ContactEvent[]): Html =>
  dataTable('Consent history, oldest first', history, {
    'Time (UTC)': ['', ({ at }) => formatInstant(at)],
    Change: ({ kind }) => kind,
    By: ({ source, message_id }) =>
      html`${source.replace('_', ' ')}${message_id && html` <a href="/app/mail/${message_id}">message</a>`}`,
    Details: ['break wide', ({ detail }) => detail],
  })

const topicTable = ({ topics }: contacts.Contact): Html =>
  dataTable('Chosen email topics', Object.entries(topics), {
    Topic: ['', ([key]) => html`<code>${key}</code>`],
    Choice: ([, state]) => statusBadge(state),
  })

const evidenceTable = (evidence: readonly consents.Consent[]): Html =>
  dataTable('Evidence of consent, oldest first', evidence, {
    'Given (UTC)': ['', ({ given_at }) => formatInstant(given_at)],
    Source: ['break wide', ({ source }) => source],
    'IP address': ({ ip }) => ip ?? '–',
    'Version of the text': ({ text_version }) => text_version ?? '–',
    Text: ['break wide', ({ consent_text }) => consent_text ?? '–'],
  })

export const { show: askToUnsubscribe, submit: unsubscribed } = formPage({
  path: '/contacts/{contact_id}/unsubscribe',
  summary: 'Unsubscribe a contact',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    const main = html`${parentLink(email, `/app/contacts/${id}`)}<h1>Unsubscribe ${email}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>You cannot undo this. The contact never receives messages on the subscribed stream again.</p>
<p class="actions"><button class="grave">Unsubscribe contact</button> <a class="button plain" href="/app/contacts/${id}">Cancel</a></p></form>`
    return { title: `Unsubscribe ${email}`, main }
  },
  async submit({ db, member, ask, params }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    await ask(unsubscribe, { params: { email } }, z.unknown())
    return { to: `/app/contacts/${id}`, told: `${email} unsubscribed.` }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/contacts/{contact_id}/remove',
  summary: 'Delete a contact',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    const main = html`${parentLink(email, `/app/contacts/${id}`)}<h1>Delete ${email}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The consent history of this contact is also deleted.</p>
<p class="actions"><button class="grave">Delete contact</button> <a class="button plain" href="/app/contacts/${id}">Cancel</a></p></form>`
    return { title: `Delete ${email}`, main }
  },
  async submit({ db, member, ask, params }) {
    const { email } = await ownContact(db, member.orgId, params.contact_id)
    await ask(remove, { params: { email } }, z.unknown())
    return { to: section.path, told: `${email} deleted.` }
  },
})
