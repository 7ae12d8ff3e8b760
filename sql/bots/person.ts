import { sql } from '../db.ts'
import { deleted, type PersonTable, texts } from '../people/person-table.ts'

/** Tables of bots with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'bots',
    'conversations',
    ({ org_id, user_id, emails }) => sql.fragment`
      old.org_id = ${org_id} and (old.user_id = ${user_id} or old.visitor_email = any(${texts(emails)}))`,
    [
      ...['bots.messages', 'bots.chunks', 'bots.handovers', 'bots.action_calls'],
      ...['bots.assignments', 'bots.conversation_labels', 'bots.ratings'],
    ],
  ),
]
