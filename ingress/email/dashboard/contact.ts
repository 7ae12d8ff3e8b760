import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contact-events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { instant } from '../../http/console/format.ts'
import { type Html, html } from '../../http/console/html.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { empty, faultOf, tokenField, trail } from '../../http/dashboard/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove, unsubscribe } from '../contacts.ts'
import { section, stateOf } from './contacts.ts'

const params = z.object({ contact_id: pathId('contact') })

const ownContact = async (db: Db, orgId: string, id: string): Promise<contacts.Contact> =>
  await mustFind(contacts.findById(db, orgId, id), 'contact')

/** `GET /app/contacts/{contact_id}`: one person and the history of their consent. */
export const read = page({
  path: '/contacts/{contact_id}',
  summary: 'A contact and the history of their consent',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, params }) {
    const found = await ownContact(db, member.orgId, params.contact_id)
    const history = await events.historyOf(db, found.id)
    const path = `/app/contacts/${found.id}`
    const isOpen = found.status !== 'unsubscribed'
    const main = html`${trail('Contacts', section.path)}<h1>${found.email}</h1>
<dl class="facts">${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Attributes</h2>${Object.keys(found.attributes).length === 0 ? empty('Nothing else is known.') : html`<pre tabindex="0">${JSON.stringify(found.attributes, null, 2)}</pre>`}
${may('areas:write') && html`<p class="actions"><a class="button" href="${path}/edit">Change what is known</a></p>`}</section>
<section><h2>Consent</h2>${history.length === 0 ? empty('Nothing is on record.') : historyTable(history)}</section>
${may('areas:write') && isOpen && html`<section><h2>Change</h2><p class="actions"><a class="button" href="${path}/unsubscribe">Unsubscribe</a> <a class="button" href="${path}/remove">Remove</a></p></section>`}
${!isOpen && html`<p class="quiet">Who has unsubscribed is kept, so that nobody adds them again.</p>`}`
    return { title: found.email, main }
  },
})

function facts(found: contacts.Contact): [string, Html | string][] {
  const instants: [string, Date | null][] = [
    ['Added', found.created_at],
    ['Asked to confirm', found.asked_at],
    ['Confirmed', found.confirmed_at],
    ['Unsubscribed', found.unsubscribed_at],
  ]
  return [
    ['State', stateOf(found)],
    ['Name', found.name ?? '–'],
    ['Tags', found.tags.join(', ') || '–'],
    ['Where they agreed', found.consent_source ?? '–'],
    ...instants.flatMap(([name, at]): [string, string][] => (at ? [[name, `${instant(at)} UTC`]] : [])),
  ]
}

const historyTable = (history: readonly events.ContactEvent[]): Html => html`<table class="data stacks">
<caption class="unseen">History of consent, oldest first</caption>
<thead><tr><th scope="col">When (UTC)</th><th scope="col">What</th><th scope="col">By</th><th scope="col">In words</th></tr></thead>
<tbody>${history.map(
  ({
    at,
    kind,
    source,
    detail,
    message_id,
  }) => html`<tr><th scope="row">${instant(at)}</th><td data-label="What">${kind}</td>
<td data-label="By">${source.replace('_', ' ')}${message_id && html` <a href="/app/mail/${message_id}">mail</a>`}</td><td class="break wide">${detail}</td></tr>`,
)}</tbody></table>`

/** `/app/contacts/{contact_id}/unsubscribe`: records, after asking, that a person wants no more mail. */
export const { show: askToUnsubscribe, submit: unsubscribed } = formPage({
  path: '/contacts/{contact_id}/unsubscribe',
  summary: 'Record that a contact has unsubscribed',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    const main = html`${trail(email, `/app/contacts/${id}`)}<h1>Unsubscribe ${email}?</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
<p>For good: they never receive the subscribed stream again.</p>
<p class="actions"><button class="grave">Unsubscribe them</button> <a class="button plain" href="/app/contacts/${id}">Not now</a></p></form>`
    return { title: `Unsubscribe ${email}`, main }
  },
  async submit({ db, member, ask, params }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    await ask(unsubscribe, { params: { email } }, z.unknown())
    return { to: `/app/contacts/${id}`, told: `${email} is unsubscribed.` }
  },
})

/** `/app/contacts/{contact_id}/remove`: removes a person, after asking. */
export const { show: askToRemove, submit: drop } = formPage({
  path: '/contacts/{contact_id}/remove',
  summary: 'Remove a contact',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, email } = await ownContact(db, member.orgId, params.contact_id)
    const main = html`${trail(email, `/app/contacts/${id}`)}<h1>Remove ${email}?</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The history of their consent goes with them.</p>
<p class="actions"><button class="grave">Remove them</button> <a class="button plain" href="/app/contacts/${id}">Not now</a></p></form>`
    return { title: `Remove ${email}`, main }
  },
  async submit({ db, member, ask, params }) {
    const { email } = await ownContact(db, member.orgId, params.contact_id)
    await ask(remove, { params: { email } }, z.unknown())
    return { to: section.path, told: `${email} is removed.` }
  },
})
