import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as people from '#sql/notify/people.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../people.ts'
import { faultAtField } from './path-faults.ts'
import { personFields, personInputs, toPerson } from './person-form.ts'
import { personPath, renderTabs, section } from './section.ts'

export const overview = page({
  path: '/notify/people',
  summary: 'List people',
  section,
  permission: 'log:read',
  query: z.object({ email: optionalField(Address), before: Id.optional() }),
  async view({ db, member, may, services, query: { email, before } }) {
    const where = whereOf(people.filters, { email })
    const found = await people.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && linkButton('/app/notify/people/new', 'Add a person', { primary: true })
    const main = html`${renderTabs('People', add)}
${filterForm([{ name: 'email', label: 'Email address', type: 'email' }], { email }, { button: 'Find' })}
${shown.length === 0 ? emptyState(email === undefined ? 'No people yet.' : 'No person has this email address.', 'Millrace stores the addresses of people, so your events need only their IDs.', add) : peopleTable(shown)}
${older('/app/notify/people', { email })}
${apiCall(services, 'notify.people.putMany')}`
    return { title: 'People', main }
  },
})

const peopleTable = (shown: readonly people.Person[]): Html =>
  dataTable('People', shown, {
    Person: (one) => html`<a href="${personPath(one.subject)}">${one.subject}</a>`,
    Name: ['break', (one) => one.name ?? '–'],
    Channels: ['break', (one) => reachedBy(one)],
    Language: (one) => one.locale ?? '–',
    Updated: (one) => ago(one.updated_at),
  })

function reachedBy({ email, phone, push_app_id }: people.Person): Html {
  const ways = [email, phone, push_app_id && 'push'].filter((way) => way !== null)
  return ways.length === 0 ? quiet('inbox only') : html`${ways.join(', ')}`
}

export const { show: askForPerson, submit: add } = formPage({
  path: '/notify/people/new',
  summary: 'Add a person',
  section,
  permission: 'areas:write',
  fields: z.object({ user_id: z.string(), ...personFields }),
  async view({ db, member, filled, fault }) {
    const main = html`${parentLink('People', '/app/notify/people')}<h1>Add a person</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'user_id', label: 'ID', required: true, hint: 'Your own ID for the person. An existing person with this ID is replaced.' })}
${await personInputs(db, member.orgId, filled)}
<button>Add</button></form>`
    return { title: 'Add a person', main }
  },
  async submit({ ask, given: { user_id, ...given } }) {
    await ask(put, { params: { user_id }, body: toPerson(given) }, z.object({})).catch(faultAtField)
    return { to: personPath(user_id), told: 'Person added.' }
  },
})
