import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as people from '#sql/notify/people.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../people.ts'
import { section } from './workflows.ts'

export const overview = page({
  path: '/notify/people',
  summary: 'List people',
  section,
  permission: 'log:read',
  query: z.object({ email: optionalField(Address), before: Id.optional() }),
  async view({ db, member, may, query: { email, before } }) {
    const where = whereOf(people.filters, { email })
    const found = await people.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && html`<a class="button primary" href="/app/notify/people/new">Add a person</a>`
    const main = html`${parentLink('Notifications', section.path)}<div class="title"><h1>People</h1>${add}</div>
${filterForm([{ name: 'email', label: 'Email address', type: 'email' }], { email }, { button: 'Find' })}
${shown.length === 0 ? emptyState(email === undefined ? 'No people yet.' : 'No person has this email address.', 'Millrace stores the addresses of people, so your events need only their IDs. Add people here or with the API: PUT /v1/notify/people/{user_id}.') : peopleTable(shown)}
${older('/app/notify/people', { email })}`
    return { title: 'People', main }
  },
})

const peopleTable = (shown: readonly people.Person[]): Html =>
  dataTable('People', shown, {
    Person: (one) => html`<a href="/app/notify/runs?user=${encodeURIComponent(one.subject)}">${one.subject}</a>`,
    Name: ['break', (one) => one.name ?? '–'],
    Channels: ['break', (one) => reachedBy(one)],
    Language: (one) => one.locale ?? '–',
    Updated: (one) => ago(one.updated_at),
  })

function reachedBy({ email, phone, push_app_id }: people.Person): Html {
  const ways = [email, phone, push_app_id && 'push'].filter((way) => way !== null)
  return ways.length === 0 ? quiet('inbox only') : html`${ways.join(', ')}`
}

const Fields = z.object({
  user_id: z.string(),
  name: optionalField(z.string()),
  email: optionalField(z.string()),
  phone: optionalField(z.string()),
  locale: optionalField(z.string()),
  time_zone: optionalField(z.string()),
})

export const { show: askForPerson, submit: add } = formPage({
  path: '/notify/people/new',
  summary: 'Add a person',
  section,
  permission: 'areas:write',
  fields: Fields,
  async view({ member, filled, fault }) {
    const main = html`${parentLink('People', '/app/notify/people')}<h1>Add a person</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'user_id', label: 'ID', required: true, hint: 'Your own ID for the person. An existing person with this ID is replaced.' })}
${textField(filled, { name: 'name', label: 'Name' })}
${textField(filled, { name: 'email', label: 'Email address', type: 'email' })}
${textField(filled, { name: 'phone', label: 'Phone number', hint: 'For WhatsApp. For example, +3725550123.' })}
${textField(filled, { name: 'locale', label: 'Language', hint: 'For example, de or de-AT.' })}
${textField(filled, { name: 'time_zone', label: 'Time zone', hint: 'For example, Europe/Vienna.' })}
<button>Add</button></form>`
    return { title: 'Add a person', main }
  },
  async submit({ ask, given: { user_id, ...body } }) {
    await ask(put, { params: { user_id }, body }, z.object({}))
    return { to: '/app/notify/people', told: 'Person added.' }
  },
})
