import { Address } from '#lib/email-address.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import { UserId } from '#lib/user-id.ts'
import * as erasures from '#sql/people/erasures.ts'
import { type PersonFilter, search } from '#sql/people/search.ts'
import { type Finder, findById } from '../../http/dashboard/finders.ts'
import { personPath } from './section.ts'

/** Maximum number of people with one address in the search. */
const most = 5

/** Finds people by their whole ID, email address or phone number. */
const people: Finder = {
  permission: 'people:read',
  async find({ db, orgId, text }) {
    const [id, email, phone] = [UserId.safeParse(text), Address.safeParse(text), PhoneNumber.safeParse(text)]
    const filters: PersonFilter[] = [
      ...(id.success ? [{ user_id: id.data }] : []),
      ...(email.success ? [{ email: email.data }] : []),
      ...(phone.success ? [{ phone: phone.data }] : []),
    ]
    const found = await Promise.all(
      filters.map((filter) => search(db, orgId, filter, { after: undefined, limit: most })),
    )
    const byId = new Map(found.flat().map((person) => [person.user_id, person]))
    return [...byId.values()].map(({ user_id, name }) => ({
      title: name ?? user_id,
      kind: 'Person',
      href: personPath(user_id),
    }))
  },
}

export const finders: readonly Finder[] = [
  people,
  findById('Erasure', '/app/people/erasures', erasures.find, { permission: 'people:read', name: 'user_id' }),
]
