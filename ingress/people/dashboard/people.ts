import { z } from 'zod'
import { UserId } from '#lib/user-id.ts'
import { type FoundPerson, search } from '#sql/people/search.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { personPath, renderTabs, section } from './section.ts'

/** Removes what people type between the digits of a phone number. */
const withoutSpaces = (phone: string): string => phone.replace(/[\s().-]/g, '')

export const overview = page({
  path: '/people',
  summary: 'Search people',
  section,
  permission: 'people:read',
  query: z.object({
    user_id: optionalField(UserId),
    email: optionalField(z.string().trim().max(320).toLowerCase()),
    phone: optionalField(z.string().max(64).transform(withoutSpaces)),
    after: optionalField(z.string().max(255)),
  }),
  async view({ db, member, services, query: { after, ...filter } }) {
    const found = await search(db, member.orgId, filter, { after, limit: perPage + 1 })
    const { shown, older } = cutPage(found.map((person) => ({ id: person.user_id, person })))
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const main = html`${renderTabs('People')}
${filterForm(
  [
    { name: 'user_id', label: 'ID', most: 255 },
    { name: 'email', label: 'Email address', type: 'email' },
    { name: 'phone', label: 'Phone number', placeholder: '+3725550123' },
  ],
  filter,
  { button: 'Find', clear: section.path },
)}
${shown.length === 0 ? nobody(isFiltered) : peopleTable(shown.map(({ person }) => person))}
${older(section.path, filter, 'after')}
${apiCall(services, 'people.people.list')}`
    return { title: 'People', main }
  },
})

const nobody = (isFiltered: boolean): Html =>
  emptyState(
    isFiltered ? 'No person matches.' : 'No people yet.',
    'People appear here as soon as a contact, a device, a directory entry or a conversation has your user ID.',
  )

const peopleTable = (shown: readonly FoundPerson[]): Html =>
  dataTable('People', shown, {
    Person: (one) => html`<a href="${personPath(one.user_id)}">${one.user_id}</a>`,
    Name: ['break', (one) => one.name ?? '–'],
    'Email addresses': ['break', (one) => one.emails.join(', ') || '–'],
    'Phone numbers': ['break', (one) => one.phones.join(', ') || '–'],
    Areas: ['break', (one) => one.areas.join(', ')],
  })
