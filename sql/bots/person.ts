import { sql } from '../db.ts'
import { deleted, type PersonTable } from '../people/person-table.ts'

/** Tables of bots with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'bots',
    'conversations',
    ({ org_id, user_id }) => sql.fragment`old.org_id = ${org_id} and old.user_id = ${user_id}`,
    ['bots.messages', 'bots.chunks', 'bots.handovers', 'bots.action_calls'],
  ),
]
