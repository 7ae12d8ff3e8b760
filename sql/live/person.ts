import { sql } from '../db.ts'
import { deleted, type PersonTable } from '../people/person-table.ts'

/** Tables of live with rows of people. The identity in a chat is the ID of the person. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'live',
    'chat_people',
    ({ org_id, user_id }) => sql.fragment`old.org_id = ${org_id} and old.identity = ${user_id}`,
    ['live.chat_tokens', 'live.chat_messages'],
  ),
]
