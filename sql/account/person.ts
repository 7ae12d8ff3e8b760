import { sql } from '../db.ts'
import { deleted, type PersonTable, texts } from '../people/person-table.ts'

/** Tables of the account with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'account',
    'test_messages',
    ({ org_id, emails, phones, user_id }) => sql.fragment`
      old.org_id = ${org_id} and old.recipient = any(${texts([...emails, ...phones, user_id])})`,
  ),
]
