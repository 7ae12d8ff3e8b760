import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as contacts from '#sql/email/contacts.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, splitCommaWords, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { update } from '../contacts.ts'
import { section } from './contacts.ts'

export const { show: askForDetails, submit: setDetails } = formPage({
  path: '/contacts/{contact_id}/edit',
  summary: 'Update a contact',
  section,
  permission: 'areas:write',
  params: z.object({ contact_id: pathId('contact') }),
  fields: z.object({ name: z.string().max(1_000), tags: z.string().max(10_000), attributes: z.string().max(20_000) }),
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(contacts.findById(db, member.orgId, params.contact_id), 'contact')
    const main = html`${parentLink(found.email, `/app/contacts/${found.id}`)}<h1>Edit ${found.email}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', otherwise: found.name ?? '' })}
${textField(filled, { name: 'tags', label: 'Tags', otherwise: found.tags.join(', '), hint: 'Separated by commas.' })}
${linesField(filled, { name: 'attributes', label: 'Attributes', otherwise: JSON.stringify(found.attributes, null, 2), hint: 'JSON object of up to 4 KB. In emails, {{contact.attributes.city}} inserts a value.' })}
<button>Save contact</button></form>`
    return { title: `Edit ${found.email}`, main }
  },
  async submit({ db, member, ask, params, given }) {
    const {
      id,
      email,
      attributes: before,
    } = await mustFind(contacts.findById(db, member.orgId, params.contact_id), 'contact')
    // Attributes that were removed in the form are removed from the contact.
    const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]))
    const attributes = { ...gone, ...attributesOf(given.attributes) }
    const body = { name: given.name.trim() || null, tags: splitCommaWords(given.tags), attributes }
    await ask(update, { params: { email }, body }, z.unknown())
    return { to: `/app/contacts/${id}`, told: 'Contact saved.' }
  },
})

function attributesOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Invalid JSON causes the error below, which is also used for JSON of another type.
  }
  throw badRequest([{ field: 'form.attributes', issue: 'must be a JSON object, such as {"city": "Tallinn"}' }])
}
