import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, type PersonTable, texts } from '../people/person-table.ts'

const isContact = ({ emails, phones }: PersonKeys) => sql.fragment`old.contact = any(${texts([...emails, ...phones])})`

/** Tables of bots with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted('bots', 'channel_messages', (person) => sql.fragment`old.org_id = ${person.org_id} and ${isContact(person)}`),
  deleted(
    'bots',
    'conversations',
    (person) => sql.fragment`
      old.org_id = ${person.org_id} and (old.user_id = ${person.user_id}
        or old.visitor_email = any(${texts(person.emails)}) or ${isContact(person)})`,
    [
      ...['bots.messages', 'bots.chunks', 'bots.handovers', 'bots.action_calls'],
      ...['bots.assignments', 'bots.conversation_labels', 'bots.ratings'],
    ],
  ),
]

/** Returns the organisation’s ID of the person with an email address. `null` if the contact is not linked to one. */
export async function findByEmail(db: Db, orgId: string, email: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ user_id: z.string().nullable() }))`
    select user_id from email.contacts where org_id = ${orgId} and email = ${email}`)
}
