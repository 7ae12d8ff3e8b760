import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import { UserId } from '#lib/user-id.ts'
import { type FoundPerson, search } from '#sql/people/search.ts'
import { readKnowledge } from '#tasks/people/rules/knowledge.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { params, personOf } from './fields.ts'
import { Person, present } from './view.ts'

const Found = z
  .object({
    user_id: z.string(),
    name: z.string().nullable(),
    emails: z.array(z.string()),
    phones: z.array(z.string()),
    areas: z.array(z.enum(['notify', 'email', 'push', 'whatsapp', 'bots'])).describe('Areas that know the person'),
  })
  .meta({ id: 'people.FoundPerson' })

export const list = orderedListRoute({
  path: '',
  summary: 'Search people',
  description:
    'Returns people of all areas in the order of their IDs. The search finds addresses that you have linked to a `user_id`.',
  scope: 'people:read',
  otherParams: ['user_id', 'email', 'phone'],
  query: {
    user_id: UserId.optional(),
    email: Address.optional(),
    phone: PhoneNumber.optional().describe('Phone number in E.164 format. Encode `+` as `%2B` in the URL.'),
  },
  item: Found,
  key: z.string().max(255),
  keyOf: ({ user_id }) => user_id,
  rows: ({ org, db, query }, { before, limit }) => search(db, org.id, query, { after: before, limit }),
  present: (person: FoundPerson) => person,
})

export const read = route({
  method: 'GET',
  path: '/{user_id}',
  summary: 'Read a person over all areas',
  description:
    'Returns addresses, contacts, devices, preferences, verifications and consent. Rows are linked by `user_id` first, then by an address that only this person has.',
  scope: 'people:read',
  params,
  status: 200,
  reply: Person,
  problems: ['not_found'],
  async handle({ params: { user_id }, org, db }) {
    return present(await mustFind(readKnowledge(db, personOf(org.id, user_id)), 'person'))
  },
})
